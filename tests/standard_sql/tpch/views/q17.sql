SELECT 'all' AS every, CAST(SUM(l_extendedprice) AS DOUBLE) / 7 AS avg_yearly
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND p_brand = 'Brand#53'
  AND CAST(l_quantity AS DOUBLE) < (
    SELECT 0.6E0 * AVG(CAST(i.l_quantity AS DOUBLE)) FROM lineitem AS i WHERE i.l_partkey = p_partkey
  )
