-- The winning bid of each auction.
SELECT a.id, a.itemName, a.seller, a.category, b.bidder, b.price, b.dateTime AS bidTime
FROM auction AS a JOIN bid AS b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND a.expires
QUALIFY ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime, b._key) <= 1
