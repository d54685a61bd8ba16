WITH dear AS (SELECT TABLE item, price FROM orders WHERE price > 20);
SELECT STREAM item FROM dear
