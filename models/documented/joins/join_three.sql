-- Three sources: two of them joined in a WITH, and its name joined with the third.

WITH customerOrders AS (
    SELECT TABLE
        customers.name
      , orders.item
      , orders._key AS order_id
    FROM
        customers INNER JOIN orders
            ON orders.customer_id = customers.id
);

INSERT INTO deliveries
SELECT TABLE *
FROM customerOrders INNER JOIN deliveryAddress
    ON customerOrders.order_id = deliveryAddress.order_id;
