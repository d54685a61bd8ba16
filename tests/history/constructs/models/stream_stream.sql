SELECT STREAM o.item, p.paid FROM orders AS o LEFT JOIN payments AS p WITHIN 1m ON o._key = p._key
