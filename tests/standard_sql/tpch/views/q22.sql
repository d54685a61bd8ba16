WITH candidates AS (
  SELECT c_custkey, SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal
  FROM customer
  WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND CAST(c_acctbal AS DOUBLE) > (
      SELECT AVG(CAST(c.c_acctbal AS DOUBLE))
      FROM customer AS c
      WHERE c.c_acctbal > 0.00 AND SUBSTRING(c.c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
    )
    AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)
)
SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal FROM candidates GROUP BY cntrycode
