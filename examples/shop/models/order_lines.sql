-- Records, each for itself: an order that changes later writes its lines once more.
CREATE STREAMING TABLE order_lines AS
SELECT id AS order_id, customer_id, item, DATE_FORMAT(placed, 'yyyy-MM-dd') AS day
FROM STREAM(orders)
LATERAL VIEW explode(SPLIT(items, ' ')) AS item
