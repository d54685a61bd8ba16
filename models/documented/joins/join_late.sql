-- Orders as they come, and once more when a customer who was not known yet appears.

WITH customersTable AS (SELECT TABLE * FROM customers);

INSERT INTO late-customers
SELECT STREAM
    customersTable.name
  , orders.item
FROM
    orders LEFT JOIN customersTable
        ON customersTable.id = orders.customer_id;
