-- New users: who came and opened an auction in the same ten seconds.
SELECT p.id, p.name, p.starttime
FROM (
  SELECT id, name, window.start AS starttime FROM STREAM(person) GROUP BY id, name, window(dateTime, '10 seconds')
) AS p
JOIN (
  SELECT seller, window.start AS starttime FROM STREAM(auction) GROUP BY seller, window(dateTime, '10 seconds')
) AS a ON p.id = a.seller AND p.starttime = a.starttime
