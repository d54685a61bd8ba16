WITH labelled AS (SELECT TABLE item, label, weight FROM orders LEFT JOIN items ON orders.item = items.label);
SELECT TABLE labelled.item, weight, paid FROM labelled LEFT JOIN payments ON labelled.label = payments.item
