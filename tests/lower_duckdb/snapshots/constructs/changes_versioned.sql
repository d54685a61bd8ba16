-- # changes_versioned
-- changes_versioned
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0 IS NOT NULL)
),
filter_3 AS (
  SELECT * FROM filter_2 AS t
  WHERE v0 IS NOT NULL AND ((v0."item" IS NOT NULL) AND (v0."price" IS NOT NULL))
),
members_4 AS (
  SELECT t.*, {'item': v0."item"} AS _group
  FROM filter_3 AS t WHERE v0 IS NOT NULL
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
events_6 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_5
  )
),
groups_7 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': coalesce(list({'o0': v0."price", 'deleted': CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END, 'c0': v0."price", 'c1': v0."note", 'c2': v0."tags"} ORDER BY ({'o0': v0."price", 'deleted': CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END, 'c0': v0."price", 'c1': v0."note", 'c2': v0."tags"}).o0 ASC NULLS FIRST, t._ord) FILTER ({'o0': v0."price", 'deleted': CASE WHEN (v0."note" = 'y') THEN TRUE ELSE FALSE END, 'c0': v0."price", 'c1': v0."note", 'c2': v0."tags"} IS NOT NULL), [])} AS v0
  FROM events_6 AS e JOIN rows_5 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment
  GROUP BY e._case, e._group, e.moment, e.until
),
spread_8 AS (
  SELECT t.*, unnest((list_transform([list_filter(v0."a0", lambda each, each_index: CASE WHEN (try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(v0."a0") as integer)) THEN TRUE ELSE ({'o0': struct_extract(each, 'o0')} <> {'o0': struct_extract(CASE WHEN try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (v0."a0")[try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'o0')}) END)], lambda counted: (list_transform([list_transform(counted, lambda change, change_index: {'__START_AT': struct_extract(change, 'o0'), '__END_AT': CASE WHEN (try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(counted) as integer)) THEN CAST(NULL AS INTEGER) ELSE struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'o0') END, 'is_first': ((NOT struct_extract(change, 'deleted')) AND CASE WHEN (try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER) = 0) THEN TRUE ELSE ((struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'deleted') OR struct_extract(change, 'deleted')) OR ({'t0': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c0'), 't1': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c1'), 't2': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c2')} <> {'t0': struct_extract(change, 'c0'), 't1': struct_extract(change, 'c1'), 't2': struct_extract(change, 'c2')})) END), 'is_last': ((NOT struct_extract(change, 'deleted')) AND CASE WHEN (try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(counted) as integer)) THEN TRUE ELSE ((struct_extract(change, 'deleted') OR struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'deleted')) OR ({'t0': struct_extract(change, 'c0'), 't1': struct_extract(change, 'c1'), 't2': struct_extract(change, 'c2')} <> {'t0': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c0'), 't1': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c1'), 't2': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c2')})) END), 'c0': struct_extract(change, 'c0'), 'c1': struct_extract(change, 'c1'), 'c2': struct_extract(change, 'c2')})], lambda marked: (list_transform([list_transform(list_filter(marked, lambda first_change: struct_extract(first_change, 'is_first')), lambda first_change: struct_extract(first_change, '__START_AT'))], lambda starts: list_transform(list_filter(marked, lambda last_change: struct_extract(last_change, 'is_last')), lambda last_change, last_index: {'__START_AT': CASE WHEN try_cast(try((last_index) - (CAST(1 AS BIGINT))) as INTEGER) BETWEEN 0 AND 2147483646 THEN (starts)[try_cast(try((last_index) - (CAST(1 AS BIGINT))) as INTEGER) + 1] END, '__END_AT': struct_extract(last_change, '__END_AT'), 'c0': struct_extract(last_change, 'c0'), 'c1': struct_extract(last_change, 'c1'), 'c2': struct_extract(last_change, 'c2')})))[1]))[1]))[1]) AS e, unnest(range(len((list_transform([list_filter(v0."a0", lambda each, each_index: CASE WHEN (try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(v0."a0") as integer)) THEN TRUE ELSE ({'o0': struct_extract(each, 'o0')} <> {'o0': struct_extract(CASE WHEN try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (v0."a0")[try((try_cast(try((each_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'o0')}) END)], lambda counted: (list_transform([list_transform(counted, lambda change, change_index: {'__START_AT': struct_extract(change, 'o0'), '__END_AT': CASE WHEN (try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(counted) as integer)) THEN CAST(NULL AS INTEGER) ELSE struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'o0') END, 'is_first': ((NOT struct_extract(change, 'deleted')) AND CASE WHEN (try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER) = 0) THEN TRUE ELSE ((struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'deleted') OR struct_extract(change, 'deleted')) OR ({'t0': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c0'), 't1': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c1'), 't2': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (CAST(-1 AS INTEGER))) + 1] END, 'c2')} <> {'t0': struct_extract(change, 'c0'), 't1': struct_extract(change, 'c1'), 't2': struct_extract(change, 'c2')})) END), 'is_last': ((NOT struct_extract(change, 'deleted')) AND CASE WHEN (try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) = cast(len(counted) as integer)) THEN TRUE ELSE ((struct_extract(change, 'deleted') OR struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'deleted')) OR ({'t0': struct_extract(change, 'c0'), 't1': struct_extract(change, 'c1'), 't2': struct_extract(change, 'c2')} <> {'t0': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c0'), 't1': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c1'), 't2': struct_extract(CASE WHEN try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) BETWEEN 0 AND 2147483646 THEN (counted)[try((try_cast(try((change_index) - (CAST(1 AS BIGINT))) as INTEGER)) + (1)) + 1] END, 'c2')})) END), 'c0': struct_extract(change, 'c0'), 'c1': struct_extract(change, 'c1'), 'c2': struct_extract(change, 'c2')})], lambda marked: (list_transform([list_transform(list_filter(marked, lambda first_change: struct_extract(first_change, 'is_first')), lambda first_change: struct_extract(first_change, '__START_AT'))], lambda starts: list_transform(list_filter(marked, lambda last_change: struct_extract(last_change, 'is_last')), lambda last_change, last_index: {'__START_AT': CASE WHEN try_cast(try((last_index) - (CAST(1 AS BIGINT))) as INTEGER) BETWEEN 0 AND 2147483646 THEN (starts)[try_cast(try((last_index) - (CAST(1 AS BIGINT))) as INTEGER) + 1] END, '__END_AT': struct_extract(last_change, '__END_AT'), 'c0': struct_extract(last_change, 'c0'), 'c1': struct_extract(last_change, 'c1'), 'c2': struct_extract(last_change, 'c2')})))[1]))[1]))[1]))) AS i
  FROM groups_7 AS t
),
lateral_9 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_8 AS t
),
project_10 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      {'item': k0."item", '__START_AT': v1."__START_AT"} AS k0,
      {'item': k0."item", 'price': v1."c0", 'note': v1."c1", 'tags': v1."c2", '__START_AT': v1."__START_AT", '__END_AT': v1."__END_AT"} AS v0
    FROM lateral_9 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_11 AS (
  SELECT t.*, t._ord AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_10 AS t WHERE k0 IS NOT NULL
),
newest_12 AS (
  SELECT * FROM mapped_11 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."row" IS NOT NULL DESC, _id."row"."item" DESC NULLS LAST, _id."index" DESC NULLS LAST) = 1
),
rekey_13 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until), k0 AS _id, NULL AS _end FROM newest_12 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_13;
