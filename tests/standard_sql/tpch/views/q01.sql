SELECT l_returnflag, l_linestatus,
  SUM(l_quantity) AS sum_qty,
  SUM(l_extendedprice) AS sum_base_price,
  SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
  SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
  AVG(CAST(l_quantity AS DOUBLE)) AS avg_qty,
  AVG(CAST(l_extendedprice AS DOUBLE)) AS avg_price,
  AVG(CAST(l_discount AS DOUBLE)) AS avg_disc,
  COUNT(*) AS count_order
FROM lineitem
WHERE l_shipdate <= CAST('1998-09-02' AS DATE)
GROUP BY l_returnflag, l_linestatus
