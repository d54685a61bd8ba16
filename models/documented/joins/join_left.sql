-- All orders, with the name of the customer where there is one.

WITH customersTable AS (SELECT TABLE * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

INSERT INTO all-orders
SELECT STREAM
    customersTable.name
  , ordersStream.item
FROM
    ordersStream LEFT JOIN customersTable
        ON customersTable.id = ordersStream.customer_id;
