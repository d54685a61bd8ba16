WITH names AS (SELECT TABLE label FROM items);
SELECT STREAM o.item, names.label FROM orders AS o INNER JOIN names ON o._key = names._key
