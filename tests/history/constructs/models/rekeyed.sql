SELECT TABLE item AS _key, price FROM orders
