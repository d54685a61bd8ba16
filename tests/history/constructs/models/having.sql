SELECT STREAM COUNT(*) AS n, SUM(price) AS spent FROM orders GROUP BY item HAVING n > 1
