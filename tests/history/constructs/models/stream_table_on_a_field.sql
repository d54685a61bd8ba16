WITH names AS (SELECT TABLE label, weight FROM items);
SELECT STREAM o.price, names.weight FROM orders AS o LEFT JOIN names ON o.item = names.label
