-- # LATERAL over no array
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tag': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # an alias that hides a field
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id"} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # an alias that hides the source
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id"} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # a TABLE with LATERAL and no key of its own
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v1 AS k0,
      {'id': v0."id"} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_6 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_5 AS t WHERE t.k0 IS NOT NULL
),
live_7 AS (
  SELECT * FROM rekey_6 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_7;

-- # an alias that is not there yet
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tag': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # a TABLE with LATERAL in a WITH, written as it is
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
spread_3 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM scan_2 AS t
),
lateral_4 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts, CASE WHEN t._end IS NOT NULL THEN [t._end] END AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_3 AS t
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'tag': v1} AS v0
    FROM lateral_4 AS t
  ) WHERE v0 IS NOT NULL
),
members_6 AS (
  SELECT t.*, v0."tag" AS _group
  FROM project_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
groups_8 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_7 AS t GROUP BY _case, _group
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # the changes of a TABLE with LATERAL
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'id': v0."id", 'tag': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # an alias of LATERAL that hides a facet
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # one alias for two LATERALs
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
spread_4 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM lateral_3 AS t
),
lateral_5 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, t.k1, t.v1, NULL AS k2, t.e AS v2
  FROM spread_4 AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tag': v1} AS v0
  FROM lateral_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- # a LATERAL before the one whose alias it reads
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
spread_4 AS (
  SELECT t.*, unnest([v1]) AS e, unnest(range(len([v1]))) AS i
  FROM lateral_3 AS t
),
lateral_5 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts,
    t.k0, t.v0, t.k1, t.v1, NULL AS k2, t.e AS v2
  FROM spread_4 AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'tag': v1} AS v0
  FROM lateral_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- # LATERAL without an alias
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'id': v."id", 'item': v."item", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
filter_4 AS (
  SELECT * FROM lateral_3 AS t
  WHERE (v0."id" > 1)
),
project_5 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM filter_4 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_5
) ORDER BY _case, _ord, _input;

-- # LATERAL over an array without elements
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest([1]) AS e, unnest(range(len([1]))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # a LATERAL as the source of a join
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM lateral_3 AS t
),
left_5 AS (
  SELECT t.*, k0 AS j
  FROM project_4 AS t
),
records_6 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_7 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_6 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM scan_7 AS t
),
found_9 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_5 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_8) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord[1]]
),
join_10 AS (
  SELECT t._case, t._ord || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_9 AS t WHERE t.t_ord IS NOT NULL
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item"} AS v0
  FROM join_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # LATERAL over a join of two tables
-- result
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'country': v."country"} END AS v0
  FROM "topic customers" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'tags': v0."tags"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
spread_9 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM project_8 AS t
),
lateral_10 AS (
  SELECT t._case, list_append(t._ord, t.i) AS _ord, t._ts, t._end AS _end, {'row': t._id, 'index': t.i} AS _id,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_9 AS t
),
members_11 AS (
  SELECT t.*, v1 AS _group
  FROM lateral_10 AS t
),
rows_12 AS (
  SELECT * FROM members_11 WHERE _group IS NOT NULL
),
groups_13 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_12 AS t GROUP BY _case, _group
),
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'n': v0."a0"} AS v0
    FROM groups_13 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_14;

-- # a field of an element that is no struct
-- result
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'tags': v."tags"} END AS v0
  FROM "topic orders" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."tags") AS e, unnest(range(len(v0."tags"))) AS i
  FROM (SELECT * FROM scan_1 WHERE v0 IS NOT NULL) AS t
),
lateral_3 AS (
  SELECT t._case, list_append([t._ord], t.i) AS _ord, t._ts,
    t.k0, t.v0, NULL AS k1, t.e AS v1
  FROM spread_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'name': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;
