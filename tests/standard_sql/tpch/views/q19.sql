SELECT 'all' AS every, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem, part
WHERE (
    p_partkey = l_partkey
    AND p_brand = 'Brand#11'
    AND l_quantity BETWEEN 1 AND 31
    AND p_size BETWEEN 1 AND 15
    AND l_shipmode IN ('AIR', 'REG AIR', 'SHIP', 'RAIL')
  )
  OR (
    p_partkey = l_partkey
    AND p_brand = 'Brand#33'
    AND p_container LIKE 'MED%'
    AND l_quantity BETWEEN 10 AND 40
    AND p_size BETWEEN 1 AND 40
    AND l_shipmode IN ('AIR', 'REG AIR', 'SHIP', 'RAIL')
  )
  OR (
    p_partkey = l_partkey
    AND p_brand = 'Brand#53'
    AND p_container LIKE 'L%'
    AND l_quantity BETWEEN 20 AND 50
    AND p_size BETWEEN 1 AND 45
    AND l_shipmode IN ('AIR', 'REG AIR', 'SHIP', 'RAIL')
  )
