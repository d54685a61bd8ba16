SELECT TABLE item, price FROM orders WHERE price > 20
