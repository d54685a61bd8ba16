-- # all
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'TAGS': v."TAGS", 'HS': coalesce(list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value}), CAST([] AS STRUCT("KEY" VARCHAR, "VALUE" BLOB)[]))} END AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X", 'TAGS': v0."TAGS", 'HS': v0."HS"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # single ones
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'ABC': list_filter(_headers, lambda h: h.key = 'abc')[-1].value, 'DEF': list_filter(_headers, lambda h: h.key = 'it''s')[-1].value} END AS v0
  FROM "topic one" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X", 'ABC': v0."ABC", 'DEF': v0."DEF"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a function
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'ABC': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic one" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': cast(octet_length(v0."ABC") as integer)} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # a filter
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'HS': coalesce(list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value}), CAST([] AS STRUCT("KEY" VARCHAR, "VALUE" BLOB)[]))} END AS v0
  FROM "topic s" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((struct_extract(CASE WHEN CAST(0 AS BIGINT) BETWEEN 0 AND 2147483646 THEN (v0."HS")[CAST(0 AS BIGINT) + 1] END, 'KEY') = 'abc') AND (v0."X" > 0))
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # a new key
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'HS': coalesce(list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value}), CAST([] AS STRUCT("KEY" VARCHAR, "VALUE" BLOB)[]))} END AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    CASE WHEN (v0 IS NOT NULL) THEN struct_extract(CASE WHEN CAST(0 AS BIGINT) BETWEEN 0 AND 2147483646 THEN (v0."HS")[CAST(0 AS BIGINT) + 1] END, 'VALUE') ELSE CAST(NULL AS BLOB) END AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ID': k0, 'X': v0."X"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- # elements
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic s" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."TAGS") AS e, unnest(range(len(v0."TAGS"))) AS i
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
    {'TAG': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # elements of headers
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'HS': coalesce(list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value}), CAST([] AS STRUCT("KEY" VARCHAR, "VALUE" BLOB)[]))} END AS v0
  FROM "topic s" AS t
),
spread_2 AS (
  SELECT t.*, unnest(v0."HS") AS e, unnest(range(len(v0."HS"))) AS i
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
    {'H': v1} AS v0
  FROM lateral_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- # after another query
-- M
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X"} END AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': try((v0."X") + (1))} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X"} END AS v0
  FROM "topic s" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': try((v0."X") + (1))} END AS v0
  FROM scan_1 AS t
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X"} END AS v0
  FROM project_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # several writers
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X"} END AS v0
  FROM "topic s" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_8 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
),
project_9 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'X': v0."X"} AS v0
  FROM join_8 AS t
),
scan_10 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic p" AS t
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'X': v0."X"} END AS v0
  FROM scan_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, [_ord] AS _ord, 1 AS _input FROM project_11
) ORDER BY _case, _ord, _input;

-- # another time
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X"} END AS v0
  FROM "topic s" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."X" > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'AT': try_cast(v0."X" as BIGINT)} END AS v0
  FROM filter_2 AS t
),
at_4 AS (
  SELECT * REPLACE (CASE WHEN v0 IS NULL THEN _ts WHEN coalesce(v0."AT" BETWEEN 0 AND 253402300799999, FALSE) THEN v0."AT" ELSE error('a record has no event time from 1970 to 9999') END AS _ts) FROM project_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM at_4
) ORDER BY _case, _ord, _input;

-- # groups
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'ABC': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic one" AS t
),
members_2 AS (
  SELECT t.*, v0."ABC" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # groups of a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'Y': v."Y", 'H': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."H" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
live_5 AS (
  SELECT * FROM rows_4 WHERE _end IS NULL
),
groups_6 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*)} FROM rows_4 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM rows_4
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_6 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'Y': v."Y", 'H': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'Y': v0."Y", 'H': v0."H"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- # two streams
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'ABC': list_filter(_headers, lambda h: h.key = 'abc')[-1].value, 'DEF': list_filter(_headers, lambda h: h.key = 'it''s')[-1].value} END AS v0
  FROM "topic one" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'Y': v."Y", 'def': list_filter(_headers, lambda h: h.key = 'def')[-1].value} END AS v0
  FROM "topic b" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (k0 IS NOT NULL)
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
  WHERE v0 IS NOT NULL
),
clock_7 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_6
),
timed_8 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_7 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_6) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_11 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 10000 AND l._ts + 10000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'ONE_X': v0."X", 'ONE_ABC': v0."ABC", 'ONE_DEF': v0."DEF", 'OTHER_ID': k1, 'OTHER_Y': v1."Y", 'OTHER_def': v1."def"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # a stream and a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'X': v."X", 'ABC': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic one" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE (k0 IS NOT NULL)
),
left_3 AS (
  SELECT t.*, k0 AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'Y': v."Y", 'H': list_filter(_headers, lambda h: h.key = 'abc')[-1].value} END AS v0
  FROM "topic t" AS t
),
scan_5 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_4 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM scan_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_8 AS (
  SELECT t.* FROM left_3 AS t ANTI JOIN found_7 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_8 AS t
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'ABC': v0."ABC", 'H': v1."H"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;
