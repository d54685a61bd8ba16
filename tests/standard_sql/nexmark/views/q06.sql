-- The average price of a seller's last ten auctions that were won.
WITH winning AS (
  SELECT a.id, a.seller, b.price, b.dateTime
  FROM auction AS a JOIN bid AS b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND a.expires
  QUALIFY ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime, b._key) <= 1
),
latest AS (
  SELECT seller, price FROM winning
  QUALIFY ROW_NUMBER() OVER (PARTITION BY seller ORDER BY dateTime DESC, id DESC) <= 10
)
SELECT seller, AVG(price) AS average FROM latest GROUP BY seller
