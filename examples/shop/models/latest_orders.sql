SELECT customer_id, id, placed, total
FROM orders
QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY placed DESC, id) <= 2
