SELECT TABLE COUNT(*) AS n, SUM(weight) AS weight FROM orders INNER JOIN items ON orders.item = items.label GROUP BY note
