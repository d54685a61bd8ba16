-- The same with the equality of the keys written out.

INSERT INTO customers-with-orders-written-out
SELECT TABLE *
FROM customers JOIN orders
    ON customers._key = orders._key;
