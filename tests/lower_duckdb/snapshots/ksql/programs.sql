-- # eager left
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'N': v0."N", 'M': v1."M"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # eager right
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3000 AND l._ts + 1000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM timed_10 AS r ANTI JOIN pairs_11 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j AND [p.l_ord] <= [r._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k1 AS k0,
    {'N': v0."N", 'M': v1."M"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # eager full
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'NAME': v0."NAME", 'ROWTIME': _ts} END AS v0
  FROM scan_1 AS t
),
filter_3 AS (
  SELECT * FROM project_2 AS t
  WHERE v0 IS NOT NULL AND (v0."NAME" IS NOT NULL)
),
left_4 AS (
  SELECT t.*, v0."NAME" AS j
  FROM filter_3 AS t
  WHERE v0 IS NOT NULL
),
scan_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'OTHER': v."OTHER"} END AS v0
  FROM "topic b" AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'OTHER': v0."OTHER"} END AS v0
  FROM scan_5 AS t
),
filter_7 AS (
  SELECT * FROM project_6 AS t
  WHERE v0 IS NOT NULL AND (v0."OTHER" IS NOT NULL)
),
right_8 AS (
  SELECT t.*, v0."OTHER" AS j
  FROM filter_7 AS t
  WHERE v0 IS NOT NULL
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_8
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_4) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_11 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_4
),
timed_12 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_8) AS t
  ASOF LEFT JOIN clock_11 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_10 AS l JOIN timed_12 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 0 AND l._ts + 700
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_14 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_13
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_10 AS l ANTI JOIN pairs_13 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
  UNION ALL BY NAME
  SELECT r._case, [r._ord] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM timed_12 AS r ANTI JOIN pairs_13 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j AND [p.l_ord] <= [r._ord]
),
project_15 AS (
  SELECT _case, _ord, _ts,
    coalesce(v0."NAME", v1."OTHER") AS k0,
    {'NAME': v0."NAME", 'OTHER': v1."OTHER", 'AT': v0."ROWTIME"} AS v0
  FROM join_14 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_15
) ORDER BY _case, _ord, _input;

-- # eager at one instant
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 0 AND l._ts + 0
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'N': v0."N", 'M': v1."M"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- # eager over filters
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."NAME" <> 'p')
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': try((v0."N") + (1))} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- Y
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic b" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."M" > 0)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    v0."M" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'OTHER': v0."OTHER", 'ID': k0} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."NAME" <> 'p')
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': try((v0."N") + (1))} END AS v0
  FROM filter_2 AS t
),
filter_4 AS (
  SELECT * FROM project_3 AS t
  WHERE (k0 IS NOT NULL)
),
left_5 AS (
  SELECT t.*, k0 AS j
  FROM filter_4 AS t
  WHERE v0 IS NOT NULL
),
scan_6 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
filter_7 AS (
  SELECT * FROM scan_6 AS t
  WHERE v0 IS NOT NULL AND (v0."M" > 0)
),
project_8 AS (
  SELECT _case, _ord, _ts,
    v0."M" AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'ID': k0} END AS v0
  FROM filter_7 AS t
),
filter_9 AS (
  SELECT * FROM project_8 AS t
  WHERE (k0 IS NOT NULL)
),
right_10 AS (
  SELECT t.*, k0 AS j
  FROM filter_9 AS t
  WHERE v0 IS NOT NULL
),
clock_11 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_10
),
timed_12 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_5) AS t
  ASOF LEFT JOIN clock_11 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_13 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_5
),
timed_14 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_10) AS t
  ASOF LEFT JOIN clock_13 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_15 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_12 AS l JOIN timed_14 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 3000 AND l._ts + 3000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_16 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_15
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_12 AS l ANTI JOIN pairs_15 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_17 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'N': v0."N", 'YID': v1."ID"} AS v0
  FROM join_16 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_17
) ORDER BY _case, _ord, _input;

-- # eager over elements
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic a" AS t
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

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic a" AS t
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
),
filter_5 AS (
  SELECT * FROM project_4 AS t
  WHERE (k0 IS NOT NULL)
),
left_6 AS (
  SELECT t.*, k0 AS j
  FROM filter_5 AS t
),
scan_7 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
filter_8 AS (
  SELECT * FROM scan_7 AS t
  WHERE (k0 IS NOT NULL)
),
right_9 AS (
  SELECT t.*, k0 AS j
  FROM filter_8 AS t
  WHERE v0 IS NOT NULL
),
clock_10 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_9
),
timed_11 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_6) AS t
  ASOF LEFT JOIN clock_10 AS c ON c._case = t._case AND c._ord < t._ord
),
clock_12 AS (
  SELECT _case, _ord AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_6
),
timed_13 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_9) AS t
  ASOF LEFT JOIN clock_12 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_14 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] ELSE [r._ord] || l._ord END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_11 AS l JOIN timed_13 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN l._ord <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_15 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_14
  UNION ALL BY NAME
  SELECT l._case, l._ord AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_11 AS l ANTI JOIN pairs_14 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < l._ord
),
project_16 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'TAG': v0."TAG", 'M': v1."M"} AS v0
  FROM join_15 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_16
) ORDER BY _case, _ord, _input;

-- # eager over one topic
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."N" IS NOT NULL)
),
left_3 AS (
  SELECT t.*, v0."N" AS j
  FROM filter_2 AS t
  WHERE v0 IS NOT NULL
),
scan_4 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
filter_5 AS (
  SELECT * FROM scan_4 AS t
  WHERE v0 IS NOT NULL AND (v0."N" IS NOT NULL)
),
right_6 AS (
  SELECT t.*, v0."N" AS j
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
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] || [0] ELSE [r._ord] || [l._ord] || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_8 AS l JOIN timed_10 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 1000 AND l._ts + 1000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, ([l._ord]) || [-2] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
  UNION ALL BY NAME
  SELECT r._case, ([r._ord]) || [-1] AS _ord, r._ts, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM timed_10 AS r ANTI JOIN pairs_11 AS p ON p._case = r._case AND p.r_ord = r._ord AND p.r_ts = r._ts AND p.j = r.j AND [p.l_ord] <= [r._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    coalesce(v0."N", v1."N") AS k0,
    {'XN': v0."N", 'YN': v1."N"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."XN" NULLS FIRST, value."YN" NULLS FIRST;

-- # eager and a table
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'c1': v0."N", 'c6': v1."M"} AS v0
  FROM join_12 AS t
),
filter_14 AS (
  SELECT * FROM project_13 AS t
  WHERE (k0 IS NOT NULL)
),
left_15 AS (
  SELECT t.*, k0 AS j
  FROM filter_14 AS t
),
records_16 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic t" AS t
),
scan_17 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_16 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_18 AS (
  SELECT t.*, k0 AS j
  FROM scan_17 AS t
),
found_19 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_15 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_18) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord[1]]
),
alone_20 AS (
  SELECT t.* FROM left_15 AS t ANTI JOIN found_19 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_21 AS (
  SELECT t._case, t._ord || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_19 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, t._ord AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_20 AS t
),
project_22 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'A_N': v0."c1", 'M': v0."c6", 'T_NAME': v1."NAME"} AS v0
  FROM join_21 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_22
) ORDER BY _case, _ord, _input;

-- # counted after eager
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'N': v0."N", 'M': v1."M"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'M': v1."M"} AS v0
  FROM join_12 AS t
),
members_14 AS (
  SELECT t.*, k0 AS _group
  FROM project_13 AS t
),
rows_15 AS (
  SELECT * FROM members_14 WHERE _group IS NOT NULL
),
groups_16 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': count(v0."M")} AS v0
  FROM rows_15 AS t GROUP BY _case, _group
),
project_17 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'MET': v0."a1"} AS v0
    FROM groups_16 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_17;

-- # final
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': arg_max(v0."N", t._ord)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'LAST': v0."a1"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # final hops
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."NAME" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 4000 THEN 0 ELSE ((_ts - 4000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 4000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': try_cast(sum(v0."N") AS BIGINT), 'a1': count(v0."N"), 'a2': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
filter_8 AS (
  SELECT * FROM groups_7 AS t
  WHERE (v0."a2" > CAST(1 AS BIGINT))
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'UNTIL': k0."end", 'S': CASE WHEN (v0."a1" = CAST(0 AS BIGINT)) THEN 0 ELSE try_cast(v0."a0" as INTEGER) END} AS v0
    FROM filter_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- # final sessions
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 86400001 <= seen, FALSE)
),
links_6 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 1000 FOLLOWING) < t._ts + 86400001, FALSE) AS goes_on
  FROM timely_5 AS t
),
gaps_7 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_6 AS t
),
sessions_8 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) AS session
  FROM gaps_7 AS t
),
windows_9 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS stop FROM sessions_8 AS t)
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # sessions
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 2001 <= seen, FALSE)
),
links_6 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 1000 FOLLOWING) < t._ts + 2001, FALSE) AS goes_on
  FROM timely_5 AS t
),
gaps_7 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_6 AS t
),
sessions_8 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) AS session
  FROM gaps_7 AS t
),
windows_9 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS stop FROM sessions_8 AS t)
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'SINCE': k0."start", 'C': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # changes of sessions
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 1301 <= seen, FALSE)
),
links_6 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 1000 FOLLOWING) < t._ts + 1301, FALSE) AS goes_on
  FROM timely_5 AS t
),
gaps_7 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_6 AS t
),
sessions_8 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group ORDER BY t._ts, t._ord) AS session
  FROM gaps_7 AS t
),
windows_9 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.session) AS stop FROM sessions_8 AS t)
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_9 AS t GROUP BY _case, _group
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
timely_5 AS (
  SELECT * FROM arrived_4 WHERE NOT coalesce(_ts + 1301 <= seen, FALSE)
),
until_then_6 AS (
  SELECT t.*, e._ord AS moment
  FROM timely_5 AS e JOIN timely_5 AS t
    ON t._case = e._case AND t._group = e._group AND t._ord <= e._ord
),
links_7 AS (
  SELECT *, coalesce(min(coalesce(t.seen, -1)) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts RANGE BETWEEN 1 FOLLOWING AND 1000 FOLLOWING) < t._ts + 1301, FALSE) AS goes_on
  FROM until_then_6 AS t
),
gaps_8 AS (
  SELECT *, NOT coalesce(lag(t._ts) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord) = t._ts OR lag(t.goes_on) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord), FALSE) AS opens
  FROM links_7 AS t
),
sessions_9 AS (
  SELECT *, count(*) FILTER (t.opens) OVER (PARTITION BY t._case, t._group, t.moment ORDER BY t._ts, t._ord) AS session
  FROM gaps_8 AS t
),
members_10 AS (
  SELECT *, min(t._ts) OVER (PARTITION BY t._case, t._group, t.moment) AS start, max(t._ts) OVER (PARTITION BY t._case, t._group, t.moment) AS stop
  FROM (SELECT *, max(CASE WHEN t._ord = t.moment THEN t.session END) OVER (PARTITION BY t._case, t._group, t.moment) AS own FROM sessions_9 AS t) AS t WHERE t.session = t.own
),
ends_11 AS (
  SELECT _case, _group, _ord AS moment, min(moment) FILTER (moment > _ord) AS until
  FROM members_10 GROUP BY _case, _group, _ord
),
windows_12 AS (
  SELECT * EXCLUDE (_group, seen, goes_on, opens, session, own, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT * FROM members_10 JOIN ends_11 USING (_case, _group, moment))
),
groups_13 AS (
  SELECT _case, moment AS _ord, max(t._ts) AS _ts, until AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_12 AS t GROUP BY _case, moment, until, _group
),
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_13 AS t
  ) WHERE v0 IS NOT NULL
),
changes_15 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_14 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_14 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_14 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
),
project_16 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'C': try((v0."C") + (try_cast(1 as BIGINT)))} END AS v0
  FROM changes_15 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_16
) ORDER BY _case, _ord, _input, key IS NOT NULL, key."key" NULLS FIRST, key."start" NULLS FIRST, key."end" NULLS FIRST, value IS NOT NULL, value."C" NULLS FIRST;

-- # changes by their key
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."NAME" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': coalesce((list(v0."N" ORDER BY t._ord))[1:1000], [])} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'NS': v0."a1"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."NAME" AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
events_4 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, _ord AS moment FROM rows_3
  )
),
groups_5 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': count(*), 'a1': coalesce((list(v0."N" ORDER BY t._ord))[1:1000], [])} AS v0
  FROM events_4 AS e JOIN rows_3 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment
  GROUP BY e._case, e._group, e.moment, e.until
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_5 AS t
  ) WHERE v0 IS NOT NULL
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."C"} AS v0
    FROM project_6 AS t
  ) WHERE v0 IS NOT NULL
),
changes_8 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_7 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_7 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_7 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
),
filter_9 AS (
  SELECT * FROM changes_8 AS t
  WHERE v0 IS NOT NULL AND ((v0 IS NOT NULL) AND (k0 <> 'q'))
),
project_10 AS (
  SELECT _case, _ord, _ts,
    lsqlc_lower(k0) AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'NAME': (k0), 'C': v0."C"} END AS v0
  FROM filter_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."NAME" NULLS FIRST, value."C" NULLS FIRST;

-- # changes of closed windows
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- F
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
),
changes_9 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_8 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_8 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_8 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
),
filter_10 AS (
  SELECT * FROM changes_9 AS t
  WHERE v0 IS NOT NULL AND (v0."C" > CAST(1 AS BIGINT))
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'C': v0."C"} END AS v0
  FROM filter_10 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_11
) ORDER BY _case, _ord, _input, key IS NOT NULL, key."key" NULLS FIRST, key."start" NULLS FIRST, key."end" NULLS FIRST, value IS NOT NULL, value."C" NULLS FIRST;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
),
changes_9 AS (
  SELECT _case, _ord, _ts, k0, v0 FROM project_8 AS t
  UNION ALL
  SELECT _case, _end AS _ord, _ts, k0, NULL AS v0
  FROM project_8 AS t WHERE _end IS NOT NULL AND NOT EXISTS (
    FROM project_8 AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end
  )
),
members_10 AS (
  SELECT t.*, v0."C" AS _group
  FROM changes_9 AS t WHERE v0 IS NOT NULL
),
rows_11 AS (
  SELECT * FROM members_10 WHERE _group IS NOT NULL
),
groups_12 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*)} AS v0
  FROM rows_11 AS t GROUP BY _case, _group
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'WINDOWS': v0."a0"} AS v0
    FROM groups_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # joined on by the key
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_12 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_11
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_8 AS l ANTI JOIN pairs_11 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'c1': v0."N", 'c6': v1."M"} AS v0
  FROM join_12 AS t
),
filter_14 AS (
  SELECT * FROM project_13 AS t
  WHERE (k0 IS NOT NULL)
),
left_15 AS (
  SELECT t.*, k0 AS j
  FROM filter_14 AS t
),
records_16 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic t" AS t
),
scan_17 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_16 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
right_18 AS (
  SELECT t.*, k0 AS j
  FROM scan_17 AS t
),
found_19 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_15 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_18) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord[1]]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord[1]]
),
alone_20 AS (
  SELECT t.* FROM left_15 AS t ANTI JOIN found_19 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_21 AS (
  SELECT t._case, t._ord || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_19 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, t._ord AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_20 AS t
),
project_22 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'A_N': v0."c1", 'M': v0."c6", 'T_NAME': v1."NAME"} AS v0
  FROM join_21 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_22
) ORDER BY _case, _ord, _input;

-- # histogram
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), [])), 'a1': count(*)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'H': v0."a0", 'C': v0."a1"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # histogram of a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."N" AS _group
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
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} FROM rows_4 AS t WHERE FALSE) AS v0
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
      {'H': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # histogram of windows
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
arrived_4 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_3 AS t
),
spread_5 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_4 AS t
),
windows_6 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_5 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM windows_6 AS t GROUP BY _case, _group
),
project_8 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'H': v0."a0"} AS v0
    FROM groups_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # several by offset
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, k0 AS _group
  FROM scan_1 AS t WHERE v0 IS NOT NULL
),
rows_3 AS (
  SELECT * FROM members_2 WHERE _group IS NOT NULL
),
groups_4 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': coalesce((list(v0."N" ORDER BY t._ord) FILTER (v0."N" IS NOT NULL))[1:2], []), 'a1': coalesce((list(v0."NAME" ORDER BY t._ord))[-3:], []), 'a2': coalesce((list(v0."N" ORDER BY t._ord) FILTER (v0."N" IS NOT NULL))[-2:], []), 'a3': arg_min_null(v0."NAME", t._ord)} AS v0
  FROM rows_3 AS t GROUP BY _case, _group
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'E': v0."a0", 'L': v0."a1", 'S': v0."a2", 'F': v0."a3"} AS v0
    FROM groups_4 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_5;

-- # time of a table
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (_ts > CAST(2000 AS BIGINT))
),
project_4 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'AT': _ts, 'NAME': v0."NAME"} AS v0
    FROM filter_3 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_4;

-- # time of groups
-- X
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."NAME" AS _group
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

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME"} END AS v0
  FROM "topic a" AS t
),
members_2 AS (
  SELECT t.*, v0."NAME" AS _group
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
),
project_6 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."C", 'AT': _ts} AS v0
    FROM project_5 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_6;

-- # time of joined tables
-- X
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic t" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic u" AS t
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
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'N': v0."N", 'M': v1."M"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic t" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic u" AS t
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
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_3 AS l JOIN right_6 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_10 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END) AS _until)
  FROM pairs_9 AS p ASOF LEFT JOIN (SELECT * FROM gaps_8 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_3 AS l LEFT JOIN gaps_8 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_7 AS s WHERE s._case = l._case AND s.j = l.j)
),
live_11 AS (
  SELECT * FROM join_10 WHERE _end IS NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'N': v0."N", 'M': v1."M"} AS v0
    FROM live_11 AS t
  ) WHERE v0 IS NOT NULL
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      k0 AS k0,
      {'N': v0."N", 'M': v0."M", 'AT': _ts} AS v0
    FROM project_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # time of a table's groups
-- X
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."NAME" <> 'q')
),
members_4 AS (
  SELECT t.*, v0."N" AS _group
  FROM filter_3 AS t
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
live_6 AS (
  SELECT * FROM rows_5 WHERE _end IS NULL
),
groups_7 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': coalesce((list(v0."NAME" ORDER BY t._id NULLS FIRST))[1:1000], [])} AS v0
  FROM live_6 AS t GROUP BY _case, _group
),
with_empty_8 AS (
  SELECT * FROM groups_7
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*), 'a1': coalesce((list(v0."NAME" ORDER BY t._id NULLS FIRST))[1:1000], [])} FROM rows_5 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM rows_5
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_7 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_9 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'L': v0."a1"} AS v0
    FROM with_empty_8 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_9;

-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."NAME" <> 'q')
),
members_4 AS (
  SELECT t.*, v0."N" AS _group
  FROM filter_3 AS t
),
rows_5 AS (
  SELECT * FROM members_4 WHERE _group IS NOT NULL
),
times_6 AS (
  SELECT _case, _ord, _ts FROM "topic t"
),
ends_7 AS (
  SELECT t.*, greatest(t._ts, r._ts) AS _until
  FROM rows_5 AS t
  LEFT JOIN times_6 AS r ON r._case = t._case AND r._ord = t._end
),
latest_8 AS (
  SELECT * REPLACE (max(_until) OVER (PARTITION BY _case, _group) AS _ts) FROM ends_7
),
live_9 AS (
  SELECT * FROM latest_8 WHERE _end IS NULL
),
groups_10 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': coalesce((list(v0."NAME" ORDER BY t._id NULLS FIRST))[1:1000], [])} AS v0
  FROM live_9 AS t GROUP BY _case, _group
),
with_empty_11 AS (
  SELECT * FROM groups_10
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*), 'a1': coalesce((list(v0."NAME" ORDER BY t._id NULLS FIRST))[1:1000], [])} FROM latest_8 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM latest_8
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_10 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'L': v0."a1"} AS v0
    FROM with_empty_11 AS t
  ) WHERE v0 IS NOT NULL
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."C", 'L': v0."L", 'AT': _ts} AS v0
    FROM project_12 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_13;

-- # time of a table's groups in a stream
-- X
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."N" AS _group
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
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} FROM rows_4 AS t WHERE FALSE) AS v0
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
      {'H': v0."a0"} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- Y
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."N" AS _group
  FROM scan_2 AS t
),
rows_4 AS (
  SELECT * FROM members_3 WHERE _group IS NOT NULL
),
times_5 AS (
  SELECT _case, _ord, _ts FROM "topic t"
),
ends_6 AS (
  SELECT t.*, greatest(t._ts, r._ts) AS _until
  FROM rows_4 AS t
  LEFT JOIN times_5 AS r ON r._case = t._case AND r._ord = t._end
),
latest_7 AS (
  SELECT * REPLACE (max(_until) OVER (PARTITION BY _case, _group) AS _ts) FROM ends_6
),
live_8 AS (
  SELECT * FROM latest_7 WHERE _end IS NULL
),
groups_9 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM live_8 AS t GROUP BY _case, _group
),
with_empty_10 AS (
  SELECT * FROM groups_9
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} FROM latest_7 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0
  FROM (
    SELECT _case, _group, _end AS moment, _ts FROM latest_7
  ) AS t GROUP BY _case, _group) AS a ANTI JOIN groups_9 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'H': v0."a0"} AS v0
    FROM with_empty_10 AS t
  ) WHERE v0 IS NOT NULL
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'H': v0."H", 'AT': _ts} AS v0
    FROM project_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."N" IS NOT NULL)
),
left_3 AS (
  SELECT t.*, v0."N" AS j
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
members_6 AS (
  SELECT t.*, v0."N" AS _group
  FROM scan_5 AS t
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
times_8 AS (
  SELECT _case, _ord, _ts FROM "topic t"
),
ends_9 AS (
  SELECT t.*, greatest(t._ts, r._ts) AS _until
  FROM rows_7 AS t
  LEFT JOIN times_8 AS r ON r._case = t._case AND r._ord = t._end
),
events_10 AS (
  SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until
  FROM (
    SELECT _case, _group, moment, max(max(latest)) OVER (PARTITION BY _case, _group ORDER BY moment) AS latest FROM (
      SELECT _case, _group, _ord AS moment, _ts AS latest FROM ends_9
      UNION SELECT _case, _group, _end, _until FROM ends_9 WHERE _end IS NOT NULL
    ) GROUP BY _case, _group, moment
  )
),
groups_11 AS (
  SELECT e._case AS _case, e.moment AS _ord, max(e.latest) AS _ts, e.until AS _end,
    e._group AS _id, e._group AS k0,
    {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} AS v0
  FROM events_10 AS e JOIN ends_9 AS t ON e._case = t._case AND e._group = t._group AND t._ord <= e.moment AND (t._end IS NULL OR t._end > e.moment)
  GROUP BY e._case, e._group, e.moment, e.until
),
with_empty_12 AS (
  SELECT * FROM groups_11
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': map_from_entries(coalesce(list_transform(map_entries(histogram(v0."NAME") FILTER (v0."NAME" IS NOT NULL)), lambda e: {'key': e.key, 'value': CAST(e.value AS BIGINT)}), []))} FROM ends_9 AS t WHERE FALSE) AS v0
  FROM (SELECT _case, moment AS _ord, latest AS _ts, until AS _end, _group AS _id, _group AS k0
  FROM events_10) AS a ANTI JOIN groups_11 AS g
    ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end
),
project_13 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'H': v0."a0"} AS v0
    FROM with_empty_12 AS t
  ) WHERE v0 IS NOT NULL
),
project_14 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'AT': _ts} AS v0
    FROM project_13 AS t
  ) WHERE v0 IS NOT NULL
),
right_15 AS (
  SELECT t.*, k0 AS j
  FROM project_14 AS t
),
rekey_16 AS (
  SELECT * FROM (
  SELECT t.* EXCLUDE (_id, _end), t.j AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.j ORDER BY _ord, t._id NULLS FIRST)) AS _end
  FROM right_15 AS t WHERE t.j IS NOT NULL
  ) WHERE _end IS NULL OR _ord < _end
),
found_17 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_3 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM rekey_16) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
join_18 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_17 AS t WHERE t.t_ord IS NOT NULL
),
project_19 AS (
  SELECT _case, _ord, _ts,
    v0."N" AS k0,
    {'ID': k0, 'AT': v1."AT"} AS v0
  FROM join_18 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_19
) ORDER BY _case, _ord, _input;

-- # places
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic a" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND ((v0."N" > 0) AND (v0."ROWOFFSET" > CAST(0 AS BIGINT)))
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'PART': v0."ROWPARTITION", 'PLACE': v0."ROWOFFSET"} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;

-- # places of rows
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
members_3 AS (
  SELECT t.*, v0."NAME" AS _group
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
    {'a0': count(*), 'a1': try_cast(sum(v0."ROWOFFSET") AS BIGINT), 'a2': count(v0."ROWOFFSET")} AS v0
  FROM live_5 AS t GROUP BY _case, _group
),
with_empty_7 AS (
  SELECT * FROM groups_6
  UNION ALL BY NAME
  SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, (SELECT {'a0': count(*), 'a1': try_cast(sum(v0."ROWOFFSET") AS BIGINT), 'a2': count(v0."ROWOFFSET")} FROM rows_4 AS t WHERE FALSE) AS v0
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
      {'C': v0."a0", 'S': CASE WHEN (v0."a2" = CAST(0 AS BIGINT)) THEN CAST(0 AS BIGINT) ELSE v0."a1" END} AS v0
    FROM with_empty_7 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_8;

-- # places of both sides
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic a" AS t
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
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'NAME': v."NAME", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
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
    {'X': v0."ROWOFFSET", 'Y': v1."ROWOFFSET", 'T_NAME': v1."NAME"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;

-- # places under a star
-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N", 'NAME': v."NAME", 'TAGS': v."TAGS", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N", 'NAME': v0."NAME", 'TAGS': v0."TAGS", 'ROWPARTITION': v0."ROWPARTITION", 'ROWOFFSET': v0."ROWOFFSET", 'ROWTIME': _ts} END AS v0
  FROM scan_1 AS t
),
filter_3 AS (
  SELECT * FROM project_2 AS t
  WHERE (k0 IS NOT NULL)
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM filter_3 AS t
  WHERE v0 IS NOT NULL
),
scan_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M", 'OTHER': v."OTHER", 'ROWPARTITION': 0, 'ROWOFFSET': _offset} END AS v0
  FROM "topic b" AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'M': v0."M", 'OTHER': v0."OTHER", 'ROWPARTITION': v0."ROWPARTITION", 'ROWOFFSET': v0."ROWOFFSET", 'ROWTIME': _ts} END AS v0
  FROM scan_5 AS t
),
filter_7 AS (
  SELECT * FROM project_6 AS t
  WHERE (k0 IS NOT NULL)
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM filter_7 AS t
  WHERE v0 IS NOT NULL
),
clock_9 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_8
),
timed_10 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_4) AS t
  ASOF LEFT JOIN clock_9 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_11 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_4
),
timed_12 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_8) AS t
  ASOF LEFT JOIN clock_11 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_10 AS l JOIN timed_12 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_14 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_13
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_10 AS l ANTI JOIN pairs_13 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_15 AS (
  SELECT _case, _ord, _ts,
    v0."N" AS k0,
    {'A_NAME': v0."NAME", 'A_TAGS': v0."TAGS", 'A_ROWTIME': v0."ROWTIME", 'A_ROWPARTITION': v0."ROWPARTITION", 'A_ROWOFFSET': v0."ROWOFFSET", 'A_ID': k0, 'B_M': v1."M", 'B_OTHER': v1."OTHER", 'B_ROWTIME': v1."ROWTIME", 'B_ROWPARTITION': v1."ROWPARTITION", 'B_ROWOFFSET': v1."ROWOFFSET", 'B_ID': k1} AS v0
  FROM join_14 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_15
) ORDER BY _case, _ord, _input;

-- # times of both tables
-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
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
      {'ROWTIME': _ts} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
left_4 AS (
  SELECT t.*, k0 AS j
  FROM project_3 AS t
),
records_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic u" AS t
),
scan_6 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_5 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
project_7 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'ROWTIME': _ts} AS v0
    FROM scan_6 AS t
  ) WHERE v0 IS NOT NULL
),
right_8 AS (
  SELECT t.*, k0 AS j
  FROM project_7 AS t
),
steps_9 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM right_8 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM right_8 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_10 AS (
  SELECT _case, j, moment, until FROM steps_9 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_9 GROUP BY _case, j
),
steps_11 AS (
  SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,
    lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until
  FROM (
    SELECT _case, j, [_ord] AS moment, 1 AS step FROM left_4 WHERE j IS NOT NULL
    UNION ALL SELECT _case, j, CASE WHEN _end IS NOT NULL THEN [_end] END, -1 FROM left_4 WHERE j IS NOT NULL AND _end IS NOT NULL
  ) GROUP BY _case, j, moment
),
gaps_12 AS (
  SELECT _case, j, moment, until FROM steps_11 WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])
  UNION ALL SELECT _case, j, NULL, min(moment) FROM steps_11 GROUP BY _case, j
),
pairs_13 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, CASE WHEN r._end IS NOT NULL THEN [r._end] END) AS _end, l._id AS _id, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _rank, NULL AS _until, l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, CASE WHEN l._end IS NOT NULL THEN [l._end] END AS l_end, CASE WHEN r._end IS NOT NULL THEN [r._end] END AS r_end, l.j AS j
  FROM left_4 AS l JOIN right_8 AS r ON l._case = r._case AND l.j = r.j AND (CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR [r._ord] < CASE WHEN l._end IS NOT NULL THEN [l._end] END) AND (CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR [l._ord] < CASE WHEN r._end IS NOT NULL THEN [r._end] END)
),
join_14 AS (
  SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least(p._until, CASE WHEN p.l_end IS NULL OR g0.moment < p.l_end THEN g0.moment END, CASE WHEN p.r_end IS NULL OR g1.moment < p.r_end THEN g1.moment END) AS _until)
  FROM pairs_13 AS p ASOF LEFT JOIN (SELECT * FROM gaps_10 WHERE moment IS NOT NULL) AS g0
    ON g0._case = p._case AND g0.j = p.j AND g0.moment >= p._end ASOF LEFT JOIN (SELECT * FROM gaps_12 WHERE moment IS NOT NULL) AS g1
    ON g1._case = p._case AND g1.j = p.j AND g1.moment >= p._end
  UNION ALL BY NAME
  SELECT l._case, CASE WHEN g.moment > [l._ord] THEN g.moment || [l._ord] ELSE [l._ord] END AS _ord,
    l._ts, least(CASE WHEN l._end IS NOT NULL THEN [l._end] END, g.until) AS _end, l._id AS _id, [l._ord] AS _rank,
    NULL AS _until, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM left_4 AS l LEFT JOIN gaps_10 AS g ON g._case = l._case AND g.j = l.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [l._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN l._end IS NOT NULL THEN [l._end] END IS NULL OR g.moment < CASE WHEN l._end IS NOT NULL THEN [l._end] END))
    OR NOT EXISTS (FROM steps_9 AS s WHERE s._case = l._case AND s.j = l.j)
  UNION ALL BY NAME
  SELECT r._case, CASE WHEN g.moment > [r._ord] THEN g.moment || [r._ord] ELSE [r._ord] END AS _ord,
    r._ts, least(CASE WHEN r._end IS NOT NULL THEN [r._end] END, g.until) AS _end, r._id AS _id, [r._ord] AS _rank,
    NULL AS _until, NULL AS k0, NULL AS v0, r.k0 AS k1, r.v0 AS v1
  FROM right_8 AS r LEFT JOIN gaps_12 AS g ON g._case = r._case AND g.j = r.j
  WHERE (g._case IS NOT NULL AND (g.until IS NULL OR [r._ord] < g.until)
      AND (g.moment IS NULL OR CASE WHEN r._end IS NOT NULL THEN [r._end] END IS NULL OR g.moment < CASE WHEN r._end IS NOT NULL THEN [r._end] END))
    OR NOT EXISTS (FROM steps_11 AS s WHERE s._case = r._case AND s.j = r.j)
),
live_15 AS (
  SELECT * FROM join_14 WHERE _end IS NULL
),
project_16 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id, t._rank, t._until,
      coalesce(k0, k1) AS k0,
      {'TT': v0."ROWTIME", 'UT': v1."ROWTIME"} AS v0
    FROM live_15 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_16;

-- # time of a foreign key's rows
-- X
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."N" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic u" AS t
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
      {'N': v0."N", 'M': v1."M"} AS v0
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

-- O
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic t" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
left_3 AS (
  SELECT t.*, v0."N" AS j
  FROM scan_2 AS t
),
records_4 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic u" AS t
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
      {'M': v1."M"} AS v0
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
),
project_11 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'M': v0."M", 'AT': _ts} AS v0
    FROM live_10 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_11;

-- # groups of several writers
-- W
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
),
filter_5 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."N" > 0)
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': try((v0."N") + (1))} END AS v0
  FROM filter_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 2 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
),
filter_5 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."N" > 0)
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': try((v0."N") + (1))} END AS v0
  FROM filter_5 AS t
),
records_7 AS (
  SELECT _case, list_append([_ord], 0) AS _ord, _ts, k0, v0 FROM project_2
  UNION ALL
  SELECT _case, list_append([_ord], 1) AS _ord, _ts, k0, v0 FROM project_4
  UNION ALL
  SELECT _case, list_append([_ord], 2) AS _ord, _ts, k0, v0 FROM project_6
),
filter_8 AS (
  SELECT * FROM records_7 AS t
  WHERE v0 IS NOT NULL AND (v0."N" <> 7)
),
members_9 AS (
  SELECT t.*, k0 AS _group
  FROM filter_8 AS t WHERE v0 IS NOT NULL
),
rows_10 AS (
  SELECT * FROM members_9 WHERE _group IS NOT NULL
),
groups_11 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': coalesce((list(v0."N" ORDER BY t._ord))[1:1000], []), 'a2': arg_max(v0."N", t._ord)} AS v0
  FROM rows_10 AS t GROUP BY _case, _group
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'L': v0."a1", 'LAST': v0."a2"} AS v0
    FROM groups_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # windows of several writers
-- W
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
),
records_5 AS (
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_2
  UNION ALL
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_4
),
members_6 AS (
  SELECT t.*, k0 AS _group
  FROM records_5 AS t WHERE v0 IS NOT NULL
),
rows_7 AS (
  SELECT * FROM members_6 WHERE _group IS NOT NULL
),
arrived_8 AS (
  SELECT t.*, max(t._ts) OVER (PARTITION BY t._case ORDER BY t._ord RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen
  FROM rows_7 AS t
),
spread_9 AS (
  SELECT t.*, unnest(range(CASE WHEN _ts < 3000 THEN 0 ELSE ((_ts - 3000) // 3000 + 1) * 3000 END, _ts + 1, 3000)) AS start
  FROM arrived_8 AS t
),
windows_10 AS (
  SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group
  FROM (SELECT *, start + 3000 AS stop FROM spread_9 WHERE NOT coalesce(start + 86400000 <= seen, FALSE))
),
groups_11 AS (
  SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,
    {'a0': count(*), 'a1': try_cast(sum(v0."N") AS BIGINT), 'a2': count(v0."N")} AS v0
  FROM windows_10 AS t GROUP BY _case, _group
),
project_12 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'C': v0."a0", 'S': CASE WHEN (v0."a2" = CAST(0 AS BIGINT)) THEN 0 ELSE try_cast(v0."a1" as INTEGER) END} AS v0
    FROM groups_11 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_12;

-- # join of several writers
-- W
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic a" AS t
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
),
scan_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'OTHER': v."OTHER"} END AS v0
  FROM "topic b" AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'TAG': v0."OTHER"} END AS v0
  FROM scan_5 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_4
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, [_ord] AS _ord, 1 AS _input FROM project_6
) ORDER BY _case, _ord, _input;

-- V
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'TAGS': v."TAGS"} END AS v0
  FROM "topic a" AS t
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
),
scan_5 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'OTHER': v."OTHER"} END AS v0
  FROM "topic b" AS t
),
project_6 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'TAG': v0."OTHER"} END AS v0
  FROM scan_5 AS t
),
records_7 AS (
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_4
  UNION ALL
  SELECT _case, [_ord] AS _ord, _ts, k0, v0 FROM project_6
),
filter_8 AS (
  SELECT * FROM records_7 AS t
  WHERE (k0 IS NOT NULL)
),
left_9 AS (
  SELECT t.*, k0 AS j
  FROM filter_8 AS t
  WHERE v0 IS NOT NULL
),
scan_10 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
project_11 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_10 AS t
),
scan_12 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_13 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_12 AS t
),
records_14 AS (
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_11
  UNION ALL
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_13
),
filter_15 AS (
  SELECT * FROM records_14 AS t
  WHERE (k0 IS NOT NULL)
),
right_16 AS (
  SELECT t.*, k0 AS j
  FROM filter_15 AS t
  WHERE v0 IS NOT NULL
),
clock_17 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_16
),
timed_18 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_9) AS t
  ASOF LEFT JOIN clock_17 AS c ON c._case = t._case AND c._ord < t._ord
),
clock_19 AS (
  SELECT _case, _ord AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_9
),
timed_20 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_16) AS t
  ASOF LEFT JOIN clock_19 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_21 AS (
  SELECT l._case AS _case, CASE WHEN l._ord > [r._ord] THEN l._ord || [r._ord] || [0] ELSE [r._ord] || l._ord || [1] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_18 AS l JOIN timed_20 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN l._ord <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_22 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_21
),
project_23 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'TAG': v0."TAG", 'N': v1."N"} AS v0
  FROM join_22 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_23
) ORDER BY _case, _ord, _input, key NULLS FIRST, value IS NOT NULL, value."TAG" NULLS FIRST, value."N" NULLS FIRST;

-- # eager join of several writers
-- W
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;

-- O
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, v AS v0
  FROM "topic c" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."N"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'M': v."M"} END AS v0
  FROM "topic b" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'N': v0."M"} END AS v0
  FROM scan_3 AS t
),
records_5 AS (
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_2
  UNION ALL
  SELECT _case, _ord AS _ord, _ts, k0, v0 FROM project_4
),
filter_6 AS (
  SELECT * FROM records_5 AS t
  WHERE (k0 IS NOT NULL)
),
left_7 AS (
  SELECT t.*, k0 AS j
  FROM filter_6 AS t
  WHERE v0 IS NOT NULL
),
scan_8 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'N': v."N"} END AS v0
  FROM "topic a" AS t
),
filter_9 AS (
  SELECT * FROM scan_8 AS t
  WHERE (k0 IS NOT NULL)
),
right_10 AS (
  SELECT t.*, k0 AS j
  FROM filter_9 AS t
  WHERE v0 IS NOT NULL
),
clock_11 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM right_10
),
timed_12 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM left_7) AS t
  ASOF LEFT JOIN clock_11 AS c ON c._case = t._case AND c._ord < [t._ord]
),
clock_13 AS (
  SELECT _case, [_ord] AS _ord, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS seen FROM left_7
),
timed_14 AS (
  SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now
  FROM (SELECT *, max(_ts) OVER (PARTITION BY _case ORDER BY _ord) AS mine FROM right_10) AS t
  ASOF LEFT JOIN clock_13 AS c ON c._case = t._case AND c._ord < [t._ord]
),
pairs_15 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM timed_12 AS l JOIN timed_14 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 2000 AND l._ts + 2000
    AND coalesce(CASE WHEN [l._ord] <= [r._ord] THEN l._ts > r.seen - 86400000 ELSE r._ts > l.seen - 86400000 END, TRUE)
),
join_16 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_15
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM timed_12 AS l ANTI JOIN pairs_15 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j AND [p.r_ord] < [l._ord]
),
project_17 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'W_N': v0."N", 'AN': v1."N"} AS v0
  FROM join_16 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_17
) ORDER BY _case, _ord, _input;
