CREATE TABLE answer (auction BIGINT, price BIGINT, bidder BIGINT, `dateTime` TIMESTAMP_LTZ(3), extra STRING) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT b.auction, b.price, b.bidder, b.`dateTime`, b.extra
FROM TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND) AS b
JOIN (
  SELECT MAX(price) AS maxprice, window_start, window_end
  FROM TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY window_start, window_end
) AS h ON b.window_start = h.window_start AND b.window_end = h.window_end AND b.price = h.maxprice;
