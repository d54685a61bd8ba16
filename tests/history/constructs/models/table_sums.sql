SELECT TABLE SUM(paid) AS d, SUM(CAST(paid AS FLOAT)) AS f, SUM(CAST(paid AS DECIMAL(35, 2))) AS w,
  AVG(paid) AS md, AVG(CAST(paid AS FLOAT)) AS mf, AVG(CAST(paid AS DECIMAL(35, 2))) AS mw FROM payments GROUP BY item
