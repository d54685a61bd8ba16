SELECT 'all' AS every,
  100E0 * CAST(SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) AS DOUBLE)
    / CAST(SUM(l_extendedprice * (1 - l_discount)) AS DOUBLE) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= CAST('1995-09-01' AS DATE)
  AND l_shipdate < CAST('1995-12-01' AS DATE)
