WITH counts AS (SELECT TABLE COUNT(*) AS n FROM orders GROUP BY item);
SELECT TABLE n AS _key, label FROM items LEFT JOIN counts ON items.label = counts._key
