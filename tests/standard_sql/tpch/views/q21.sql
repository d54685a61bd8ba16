-- The suppliers of an order are counted in queries of their own, and joined: several, of which one was late.
WITH several AS (SELECT l_orderkey AS o1 FROM lineitem GROUP BY l_orderkey HAVING COUNT(DISTINCT l_suppkey) > 1),
late AS (
  SELECT l_orderkey AS o2 FROM lineitem
  WHERE l_receiptdate > l_commitdate
  GROUP BY l_orderkey HAVING COUNT(DISTINCT l_suppkey) = 1
)
SELECT s_name, COUNT(*) AS numwait
FROM lineitem
JOIN supplier ON s_suppkey = l_suppkey
JOIN orders ON o_orderkey = l_orderkey
JOIN nation ON s_nationkey = n_nationkey
WHERE o_orderstatus = 'F'
  AND l_receiptdate > l_commitdate
  AND l_orderkey IN (SELECT o1 FROM several)
  AND l_orderkey IN (SELECT o2 FROM late)
  AND n_name IN ('PERU', 'IRAQ', 'KENYA')
GROUP BY s_name
