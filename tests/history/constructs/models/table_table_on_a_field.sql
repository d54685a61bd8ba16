SELECT TABLE price, weight FROM orders LEFT JOIN items ON orders.item = items.label
