SELECT TABLE item, label FROM orders LEFT JOIN items ON orders._key = items._key
