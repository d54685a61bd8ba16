WITH counts AS (SELECT TABLE COUNT(*) AS n FROM orders GROUP BY item);
SELECT TABLE n AS _key, counts._key AS item FROM counts
