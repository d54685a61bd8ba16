-- # files
-- files
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'meter': v."meter", 'level': v."level"} END AS v0
  FROM "topic readings" AS t
),
project_2 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'meter': v0."meter", 'level': v0."level"} END AS v0
  FROM scan_1 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, CAST(_ord AS BIGINT[]) AS _ord, 0 AS _input FROM project_2
) ORDER BY _case, _ord, _input;
