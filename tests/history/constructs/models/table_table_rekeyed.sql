SELECT TABLE label AS _key, item FROM orders INNER JOIN items ON orders._key = items._key
