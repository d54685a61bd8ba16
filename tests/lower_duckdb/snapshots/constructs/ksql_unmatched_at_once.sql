-- # ksql_unmatched_at_once
-- ksql_unmatched_at_once
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'ITEM': v."ITEM"} END AS v0
  FROM "topic sales" AS t
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
  FROM "topic offers" AS t
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
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 60000 AND l._ts + 60000
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
    {'ITEM': v0."ITEM", 'PAID': v1."PAID"} AS v0
  FROM join_12 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_13
) ORDER BY _case, _ord, _input;
