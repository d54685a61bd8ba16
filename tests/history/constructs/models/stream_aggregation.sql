SELECT STREAM COUNT(*) AS n, SUM(price) AS spent, AVG(price) AS mean FROM orders GROUP BY item
