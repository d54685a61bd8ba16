-- Orders and customers, matched or not: two streams, which need to be told how far apart a match may be.

WITH customersStream AS (SELECT STREAM * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

INSERT INTO orders-and-customers
SELECT TABLE
    customersStream.name
  , ordersStream.item
FROM
    ordersStream OUTER JOIN customersStream
        ON customersStream.id = ordersStream.customer_id
        WITHIN 1h;
