-- What was shipped per part and supplier is a query of its own, and joined.
WITH shipped AS (
  SELECT l_partkey AS part, l_suppkey AS supp, SUM(l_quantity) AS quantity
  FROM lineitem
  WHERE l_shipdate >= CAST('1994-01-01' AS DATE) AND l_shipdate < CAST('1997-01-01' AS DATE)
  GROUP BY l_partkey, l_suppkey
),
offered AS (
  SELECT ps_suppkey
  FROM partsupp JOIN shipped ON part = ps_partkey AND supp = ps_suppkey
  WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE '%a%') AND ps_availqty > quantity * 50
)
SELECT s_name, s_address
FROM supplier JOIN nation ON s_nationkey = n_nationkey
WHERE s_suppkey IN (SELECT ps_suppkey FROM offered) AND n_name IN ('PERU', 'IRAN')
