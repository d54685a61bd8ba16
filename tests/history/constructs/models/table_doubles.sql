SELECT TABLE SUM(paid) AS paid FROM payments GROUP BY item
