-- # changes_of_a_table
-- changes_of_a_table
WITH changes_1 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
    FROM "topic orders" AS t
  ) WHERE k0 IS NOT NULL
),
changes_2 AS (
  SELECT _case, _ord, _ts, k0, CASE WHEN (v0."price" > 20) THEN v0 END AS v0
  FROM changes_1 AS t
),
changes_3 AS (
  SELECT _case, _ord, _ts, k0 AS k0, CASE WHEN v0 IS NOT NULL THEN {'item': v0."item"} END AS v0
  FROM changes_2 AS t
),
project_4 AS (
  SELECT _case, _ord, _ts,
    k0 AS k0,
    CASE WHEN v0 IS NOT NULL THEN {'item': v0."item"} END AS v0
  FROM changes_3 AS t
)
SELECT _case, _ts, key, value FROM (
  SELECT _case, _ts, k0 AS key, v0 AS value, _ord AS _ord, 0 AS _input FROM project_4
) ORDER BY _case, _ord, _input;
