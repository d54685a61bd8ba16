-- # ON on a literal
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # ON with two conditions
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
filter_13 AS (
  SELECT * FROM join_12 AS t
  WHERE (v0."AMOUNT" = v1."PAID")
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM filter_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input;

-- # ON with an unknown source
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # ON with a column of both
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # ON with two types
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."ITEM" IS NOT NULL)
),
left_3 AS (
  SELECT t.*, v0."ITEM" AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE (cast(k0 as varchar) IS NOT NULL)
),
right_6 AS (
  SELECT t.*, cast(k0 as varchar) AS j
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    v0."ITEM" AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # two streams without WITHIN
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # WITHIN with a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
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
    {'CITY': v1."CITY"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # a full join with a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
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
    {'CITY': v1."CITY"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a table with a stream
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
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
    {'CITY': v1."CITY"} AS v0
  FROM join_8 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_9
) ORDER BY _case, _ord, _input;

-- # a table on something else than its key
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."AMOUNT" IS NOT NULL)
),
left_3 AS (
  SELECT t.*, v0."AMOUNT" AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
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
rekey_7 AS (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord)) AS _end
  FROM right_6 AS t WHERE t.j IS NOT NULL
),
found_8 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_7) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_8 AS t WHERE t.t_ord IS NOT NULL
),
project_10 AS (
  SELECT _case, _ord, _ts,
    v0."AMOUNT" AS k0,
    {'CITY': v1."CITY"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # a right join on a foreign key
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."CITY" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic cities" AS t
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
steps_7 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_6 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_6 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_8 AS (
  SELECT _case, j, moment, until FROM steps_7 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_7 GROUP BY _case, j
),
pairs_9 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, {'l': l._id, 'r': NULL} AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'SIZE': v1."SIZE"} AS v0
    FROM join_10 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_12 AS (
  SELECT t.*, t._rank AS place, t._ord AS start, t._end AS stop,
    t._until AS until
  FROM project_11 AS t WHERE k0 IS NOT NULL
),
newest_13 AS (
  SELECT * FROM mapped_12 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_14 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until, _rank, _until), k0 AS _id, NULL AS _end FROM newest_13 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_14;

-- # a foreign key behind another join
-- MORE
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'BOSS': v."BOSS"} END AS v0
  FROM "topic users" AS t
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
      {'BOSS': v0."BOSS"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'CITY': v."CITY"} END AS v0
  FROM "topic users" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."CITY" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic cities" AS t
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
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'c0': k0, 'c5': v1."SIZE"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
left_10 AS (
  SELECT t.*, v0."c0" AS j
  FROM rekey_9 AS t
),
records_11 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'BOSS': v."BOSS"} END AS v0
  FROM "topic users" AS t
),
scan_12 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_11 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'BOSS': v0."BOSS"} AS v0
    FROM scan_12 AS t
  ) WHERE v0 IS NOT NULL
),
right_14 AS (
  SELECT t.*, k0 AS j
  FROM project_13 AS t
),
join_15 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] || [0] ELSE [r._ord] || l._ord || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(l._end, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_10 AS l JOIN right_14 AS r ON l._case = r._case AND l.j = r.j AND (l._end IS NULL OR [r._ord] < l._end) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR l._ord < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_16 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."c0" AS k0,
      {'SIZE': v0."c5"} AS v0
    FROM join_15 AS t
  ) WHERE v0 IS NOT NULL
),
mapped_17 AS (
  SELECT t.*, t._ord AS place, t._ord AS start, t._end AS stop,
    t._end AS until
  FROM project_16 AS t WHERE k0 IS NOT NULL
),
newest_18 AS (
  SELECT * FROM mapped_17 WHERE until IS NULL QUALIFY row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC, _id IS NOT NULL DESC, _id."l" DESC NULLS LAST, _id."r" DESC NULLS LAST) = 1
),
rekey_19 AS (
  SELECT * EXCLUDE (_id, _end, place, start, stop, until), k0 AS _id, NULL AS _end FROM newest_18 WHERE stop IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM rekey_19;

-- # a part of a key of several columns, behind another join
-- MORE
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic cities" AS t
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
      {'SIZE': v0."SIZE"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_3;

-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic places" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, k0."NAME" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic cities" AS t
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
join_7 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, {'l': l._id, 'r': r._id} AS _id, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      {'A_NAME': k0."NAME", 'CODE': k0."CODE"} AS k0,
      {'SIZE': v1."SIZE"} AS v0
    FROM join_7 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_9 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_8 AS t WHERE t.k0 IS NOT NULL
),
live_10 AS (
  SELECT * FROM rekey_9 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_10;

-- # a source with itself
-- P
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM", 'AMOUNT': v0."AMOUNT", 'TAGS': v0."TAGS"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'AMOUNT': v."AMOUNT"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
),
project_5 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ITEM': v0."ITEM"} END AS v0
  FROM scan_4 AS t
),
filter_6 AS (
  SELECT * FROM project_5 AS t
  WHERE (k0 IS NOT NULL)
),
right_7 AS (
  SELECT t.*, k0 AS j
  FROM filter_6 AS t
  WHERE v0 IS NOT NULL
),
clock_8 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_7
),
timed_9 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_3) AS t
  ASOF LEFT JOIN clock_8 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_10 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_3
),
timed_11 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_7) AS t
  ASOF LEFT JOIN clock_10 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_12 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_9 AS l JOIN timed_11 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_13 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_12
),
project_14 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'B_ITEM': v1."ITEM"} AS v0
  FROM join_13 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_14
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."B_ITEM" NULLS FIRST;

-- # one name for two sources
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic orders" AS t
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
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic payments" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 86400000 AND l._ts + 86400000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 172800000 ELSE r._ts > l.seen - 172800000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'ITEM': v0."ITEM"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;
