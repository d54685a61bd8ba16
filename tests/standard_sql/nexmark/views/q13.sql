-- A join with a table of constants.
SELECT b.auction, b.bidder, b.price, b.dateTime, s.value
FROM STREAM(bid) AS b JOIN side_input AS s ON MOD(b.auction, 100) = s._key
