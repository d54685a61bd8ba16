SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
FROM partsupp
JOIN part ON p_partkey = ps_partkey
JOIN supplier ON s_suppkey = ps_suppkey
JOIN nation ON s_nationkey = n_nationkey
JOIN region ON n_regionkey = r_regionkey
WHERE p_size BETWEEN 10 AND 25
  AND p_type LIKE '%BRASS'
  AND r_name = 'AMERICA'
  AND ps_supplycost = (
    SELECT MIN(o.ps_supplycost)
    FROM partsupp AS o
    JOIN supplier AS s ON s.s_suppkey = o.ps_suppkey
    JOIN nation AS n ON s.s_nationkey = n.n_nationkey
    JOIN region AS r ON n.n_regionkey = r.r_regionkey
    WHERE o.ps_partkey = p_partkey AND r.r_name = 'AMERICA'
  )
