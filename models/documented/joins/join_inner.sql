-- The orders whose customer is known, with the customer's name.

WITH customersTable AS (SELECT TABLE * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

INSERT INTO known-orders
SELECT STREAM
    customersTable.name
  , ordersStream.item
FROM
    ordersStream JOIN customersTable
        ON customersTable.id = ordersStream.customer_id;
