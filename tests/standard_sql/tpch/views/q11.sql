-- What HAVING compares with is a condition around the groups.
WITH stocks AS (
  SELECT ps_partkey, ps_supplycost * ps_availqty AS worth
  FROM partsupp JOIN supplier ON ps_suppkey = s_suppkey JOIN nation ON s_nationkey = n_nationkey
  WHERE n_name = 'PERU'
),
parts AS (SELECT ps_partkey, SUM(worth) AS value FROM stocks GROUP BY ps_partkey)
SELECT ps_partkey, value
FROM parts
WHERE CAST(value AS DOUBLE) > (SELECT CAST(SUM(worth) AS DOUBLE) * 0.0123E0 FROM stocks)
