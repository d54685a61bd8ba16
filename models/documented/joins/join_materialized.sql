-- An order that is processed before its customer waits for the customer.

WITH customersStream AS (SELECT TABLE * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

INSERT INTO waiting-orders
SELECT TABLE
    customersStream.name
  , ordersStream.item
FROM
    ordersStream LEFT JOIN customersStream
        ON customersStream.id = ordersStream.customer_id;
