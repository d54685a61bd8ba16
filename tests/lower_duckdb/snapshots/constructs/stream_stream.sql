-- # stream_stream
-- stream_stream
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'paid': v."paid"} END AS v0
  FROM "topic payments" AS t
),
right_4 AS (
  SELECT t.*, k0 AS j
  FROM scan_3 AS t
  WHERE v0 IS NOT NULL
),
clock_5 AS (
  SELECT _case, _at, max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at) AS seen FROM (
    SELECT _case, _ord AS _at, _ts FROM scan_1
    UNION ALL
    SELECT _case, _ord AS _at, _ts FROM scan_3
  ) GROUP BY _case, _at
),
on_time_6 AS (
  SELECT t.* FROM left_2 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86460000 <= c.seen, FALSE)
),
on_time_7 AS (
  SELECT t.* FROM right_4 AS t ASOF LEFT JOIN clock_5 AS c ON c._case = t._case AND c._at < t._ord
  WHERE NOT coalesce(t._ts + 86460000 <= c.seen, FALSE)
),
pairs_8 AS (
  SELECT l._case AS _case, CASE WHEN [l._ord] > [r._ord] THEN [l._ord] || [r._ord] ELSE [r._ord] || [l._ord] END AS _ord, greatest(l._ts, r._ts) AS _ts,
    l.k0, l.v0, r.k0 AS k1, r.v0 AS v1, l._ord AS l_ord, r._ord AS r_ord, l._ts AS l_ts, r._ts AS r_ts, l.j AS j
  FROM on_time_6 AS l JOIN on_time_7 AS r
    ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - 60000 AND l._ts + 60000
),
join_9 AS (
  SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM pairs_8
  UNION ALL BY NAME
  SELECT l._case, [l._ord] AS _ord, l._ts, l.k0, l.v0, NULL AS k1, NULL AS v1
  FROM on_time_6 AS l ANTI JOIN pairs_8 AS p ON p._case = l._case AND p.l_ord = l._ord AND p.l_ts = l._ts AND p.j = l.j
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'paid': v1."paid"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;
