-- The mean per part is a query of its own, and joined.
WITH means AS (SELECT l_partkey AS part, AVG(CAST(l_quantity AS DOUBLE)) AS mean FROM lineitem GROUP BY l_partkey)
SELECT 'all' AS every, CAST(SUM(l_extendedprice) AS DOUBLE) / 7 AS avg_yearly
FROM lineitem JOIN part ON p_partkey = l_partkey JOIN means ON part = l_partkey
WHERE p_brand = 'Brand#53' AND CAST(l_quantity AS DOUBLE) < 0.6E0 * mean
GROUP BY 'all'
