-- How many orders each customer placed: a join that is grouped.

SET defaults.topic.autocreate=true;
WITH customersTable AS (SELECT TABLE * FROM customers);
WITH ordersStream AS (SELECT STREAM * FROM orders);

WITH joined AS (
    SELECT STREAM
        customersTable.name
      , COUNT(*) AS items
    FROM
        ordersStream JOIN customersTable
            ON customersTable.id = ordersStream.customer_id
    GROUP BY customersTable.name
);

INSERT INTO orders-by-name
SELECT TABLE * FROM joined;
