-- # rekeyed
-- rekeyed
WITH records_1 AS (
  SELECT _case, _ord, _ts, k AS k0, CASE WHEN v IS NOT NULL THEN {'item': v."item", 'price': v."price"} END AS v0
  FROM "topic orders" AS t
),
scan_2 AS (
  SELECT * FROM (
    SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end
    FROM records_1 AS t WHERE k0 IS NOT NULL
  ) WHERE v0 IS NOT NULL
),
project_3 AS (
  SELECT * FROM (
    SELECT _case, _ord, _ts, _end, _id,
      v0."item" AS k0,
      {'price': v0."price"} AS v0
    FROM scan_2 AS t
  ) WHERE v0 IS NOT NULL
),
rekey_4 AS (
  SELECT t.* EXCLUDE (_id, _end), t.k0 AS _id,
    least(_end, lead(_ord) OVER (PARTITION BY _case, t.k0 ORDER BY _ord)) AS _end
  FROM project_3 AS t WHERE t.k0 IS NOT NULL
),
live_5 AS (
  SELECT * FROM rekey_4 WHERE _end IS NULL
)
SELECT _case, _ts, k0 AS key, v0 AS value FROM live_5;
