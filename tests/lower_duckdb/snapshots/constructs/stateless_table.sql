-- # stateless_table
-- stateless_table
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL AND _end IS NULL
),
filter_3 AS (
  SELECT * FROM scan_2 AS t
  WHERE (v0."price" > 20)
),
project_4 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      k0 AS k0,
      {'item': v0."item", 'price': v0."price"} AS v0
    FROM filter_3 AS t
  ) WHERE v0 IS NOT NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM project_4;
