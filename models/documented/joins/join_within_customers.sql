-- As the document writes it, the customers are the side that is kept, and WITHIN stands twice.

INSERT INTO customers-within
SELECT STREAM
    customers.name
  , orders.item
FROM
    customers LEFT JOIN orders WITHIN 5s
        ON customers.id = orders.customer_id
WITHIN 5s;
