-- All bids with their day and minute, by which a sink may divide them.
SELECT auction, bidder, price, dateTime, extra,
  DATE_FORMAT(dateTime, 'yyyy-MM-dd') AS day, DATE_FORMAT(dateTime, 'HH:mm') AS minute
FROM STREAM(bid)
