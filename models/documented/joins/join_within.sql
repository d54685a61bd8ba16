-- Every order, with the customer who came at most five seconds before or after it.

INSERT INTO orders-within
SELECT STREAM
    customers.name
  , orders.item
FROM
    orders LEFT JOIN customers WITHIN 5s
        ON customers.id = orders.customer_id;
