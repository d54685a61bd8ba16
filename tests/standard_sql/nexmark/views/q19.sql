-- The ten highest bids of each auction.
SELECT auction, bidder, price, channel, dateTime,
  ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC, _key) AS rank_number
FROM bid
QUALIFY rank_number <= 10
