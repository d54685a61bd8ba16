-- Without ON, rows meet by their keys.

INSERT INTO customers-with-orders
SELECT TABLE *
FROM customers JOIN orders;
