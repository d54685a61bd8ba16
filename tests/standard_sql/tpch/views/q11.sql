-- The total is a query of its own, of one row, and joined.
WITH stocks AS (
  SELECT ps_partkey, ps_supplycost * ps_availqty AS worth, 'all' AS every
  FROM partsupp JOIN supplier ON ps_suppkey = s_suppkey JOIN nation ON s_nationkey = n_nationkey
  WHERE n_name = 'PERU'
),
parts AS (SELECT ps_partkey, every, SUM(worth) AS value FROM stocks GROUP BY ps_partkey, every),
total AS (SELECT every, SUM(worth) AS value FROM stocks GROUP BY every)
SELECT parts.ps_partkey, parts.value
FROM parts JOIN total ON parts.every = total.every
WHERE CAST(parts.value AS DOUBLE) > CAST(total.value AS DOUBLE) * 0.0123E0
