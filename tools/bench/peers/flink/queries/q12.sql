CREATE TABLE taken (
  bidder BIGINT, taken_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
  WATERMARK FOR taken_at AS taken_at - INTERVAL '4' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'bid', 'properties.bootstrap.servers' = '${bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
);
CREATE TABLE answer (bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP_LTZ(3), endtime TIMESTAMP_LTZ(3)) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT bidder, COUNT(*), CAST(window_start AS TIMESTAMP_LTZ(3)), CAST(window_end AS TIMESTAMP_LTZ(3))
FROM TUMBLE(TABLE taken, DESCRIPTOR(taken_at), INTERVAL '10' SECOND)
GROUP BY bidder, window_start, window_end;
