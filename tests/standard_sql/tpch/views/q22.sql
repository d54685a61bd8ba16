-- The mean balance is a query of its own, of one row, and joined.
WITH candidates AS (
  SELECT c_custkey, SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal, 'all' AS every
  FROM customer
  WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
),
mean AS (SELECT every, AVG(CAST(c_acctbal AS DOUBLE)) AS balance FROM candidates WHERE c_acctbal > 0.00 GROUP BY every)
SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal
FROM candidates JOIN mean ON candidates.every = mean.every
WHERE CAST(c_acctbal AS DOUBLE) > balance AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)
GROUP BY cntrycode
