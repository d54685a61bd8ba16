-- The highest bid of each ten seconds.
SELECT b.auction, b.price, b.bidder, b.dateTime, b.extra
FROM bid AS b
JOIN (
  SELECT MAX(price) AS maxprice, window.end AS endtime
  FROM STREAM(bid)
  GROUP BY window(dateTime, '10 seconds')
) AS h ON b.price = h.maxprice
WHERE b.dateTime >= h.endtime - INTERVAL 10 SECONDS AND b.dateTime < h.endtime
