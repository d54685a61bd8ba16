-- # stateless
-- stateless
WITH scan_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
filter_2 AS (
  SELECT * FROM scan_1 AS t
  WHERE v0 IS NOT NULL AND (v0."price" > 20)
),
project_3 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'item': v0."item", 'more': try((v0."price") + (1))} END AS v0
  FROM filter_2 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_3
) ORDER BY _case, _ord, _input;
