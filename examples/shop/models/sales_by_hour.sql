SELECT country, window.start AS hour, COUNT(*) AS orders, SUM(total) AS turnover
FROM (
  SELECT c.country, o.placed, o.total
  FROM STREAM(orders) AS o JOIN customers AS c ON o.customer_id = c._key
) AS placed
WHERE country IS NOT NULL
GROUP BY country, window(placed, '1 hour')
