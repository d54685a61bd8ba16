CREATE MATERIALIZED VIEW customer_totals AS
SELECT customer_id, COUNT(*) AS orders, SUM(total) AS spent
FROM orders
GROUP BY customer_id
