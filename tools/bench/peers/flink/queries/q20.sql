CREATE TABLE answer (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP_LTZ(3), extra STRING,
  itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, auctionTime TIMESTAMP_LTZ(3),
  expires TIMESTAMP_LTZ(3), seller BIGINT, category BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.`dateTime`, b.extra,
  a.itemName, a.description, a.initialBid, a.reserve, a.`dateTime`, a.expires, a.seller, a.category
FROM bid AS b JOIN auction AS a ON b.auction = a.id
WHERE a.category = 10;
