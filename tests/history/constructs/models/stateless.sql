SELECT STREAM item, price + 1 AS more FROM orders WHERE price > 20
