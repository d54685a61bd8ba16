-- # two_inputs
-- both_inputs
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item"} END AS v0
  FROM "topic orders" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'what': v0."item"} END AS v0
  FROM scan_1 AS t
),
scan_3 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'label': v."label"} END AS v0
  FROM "topic items" AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'what': v0."label"} END AS v0
  FROM scan_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_2
  UNION ALL SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 1 AS _input FROM project_4
) ORDER BY _case, _ord, _input;
