-- The same from the other side. The document writes SELECT TABLE, but a table joined with a stream gives a stream.

WITH customersTable AS (SELECT TABLE * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

INSERT INTO all-orders-from-the-right
SELECT TABLE
    customersTable.name
  , ordersStream.item
FROM
    customersTable RIGHT JOIN ordersStream
        ON customersTable.id = ordersStream.customer_id;
