-- The smallest cost per part is a query of its own, and joined.
WITH offers AS (
  SELECT p_partkey, p_mfgr, s_suppkey, s_acctbal, s_name, n_name, s_address, s_phone, s_comment, ps_supplycost
  FROM partsupp
  JOIN part ON p_partkey = ps_partkey
  JOIN supplier ON s_suppkey = ps_suppkey
  JOIN nation ON s_nationkey = n_nationkey
  JOIN region ON n_regionkey = r_regionkey
  WHERE p_size BETWEEN 10 AND 25 AND p_type LIKE '%BRASS' AND r_name = 'AMERICA'
),
cheapest AS (SELECT p_partkey AS part, MIN(ps_supplycost) AS least FROM offers GROUP BY p_partkey)
SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM offers JOIN cheapest ON p_partkey = part AND ps_supplycost = least
