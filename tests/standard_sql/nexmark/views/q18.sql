-- The last bid of each user on each auction.
SELECT auction, bidder, price, channel, url, dateTime, extra
FROM bid
QUALIFY ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC, _key DESC) <= 1
