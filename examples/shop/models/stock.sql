CREATE MATERIALIZED VIEW stock AS
WITH movements AS (
  SELECT item, quantity FROM deliveries
  UNION ALL
  SELECT item, 1 FROM returns
  UNION ALL
  SELECT item, -quantity FROM {{ ref('sold') }}
)
SELECT item, SUM(quantity) AS quantity
FROM movements
WHERE item IS NOT NULL
GROUP BY item
