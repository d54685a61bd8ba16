-- Read by its name, the topic is the table of its newest records: an order that is cancelled gives its items back.
SELECT item, COUNT(*) AS quantity
FROM orders
LATERAL VIEW explode(SPLIT(items, ' ')) AS item
WHERE item IS NOT NULL
GROUP BY item
