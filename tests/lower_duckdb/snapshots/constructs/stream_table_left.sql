-- # stream_table_left
-- stream_table_left
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
left_2 AS (
  SELECT t.*, k0 AS j
  FROM scan_1 AS t
  WHERE v0 IS NOT NULL
),
records_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'label': v."label"} END AS v0
  FROM "topic items" AS t
),
scan_4 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_3 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_5 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'label': v0."label"} AS v0
    FROM scan_4 AS t
  ) WHERE v0 IS NOT NULL
),
right_6 AS (
  SELECT t.*, k0 AS j
  FROM project_5 AS t
),
found_7 AS (
  SELECT l.*, r.k0 AS k100, r.v0 AS v100, r._ord AS t_ord
  FROM left_2 AS l ASOF LEFT JOIN (SELECT *, [_ord] AS start FROM right_6) AS r
    ON l._case = r._case AND l.j = r.j AND r.start < [l._ord]
  WHERE r.j IS NULL OR r._end IS NULL
    OR CASE WHEN r._end IS NOT NULL THEN [r._end] END >= [l._ord]
),
alone_8 AS (
  SELECT t.* FROM left_2 AS t ANTI JOIN found_7 AS f
    ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL
),
join_9 AS (
  SELECT t._case, [t._ord] || [t.t_ord] AS _ord, t._ts, t.k0, t.v0, t.k100 AS k1, t.v100 AS v1
  FROM found_7 AS t WHERE t.t_ord IS NOT NULL
  UNION ALL BY NAME
  SELECT t._case, [t._ord] AS _ord, t._ts, t.k0, t.v0, NULL AS k1, NULL AS v1
  FROM alone_8 AS t
  UNION ALL BY NAME
  SELECT a._case, [n._ord] || [a._ord] AS _ord,
    greatest(a._ts, n._ts) AS _ts, a.k0, a.v0, n.k0 AS k1, n.v0 AS v1
  FROM alone_8 AS a ASOF JOIN (SELECT *, [_ord] AS start FROM right_6) AS n
    ON a._case = n._case AND a.j = n.j AND n.start >= [a._ord]
  WHERE n._ts - a._ts <= 604800000
),
project_10 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    {'item': v0."item", 'label': v1."label"} AS v0
  FROM join_9 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_10
) ORDER BY _case, _ord, _input;
