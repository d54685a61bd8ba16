CREATE TABLE answer (bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP_LTZ(3), endtime TIMESTAMP_LTZ(3)) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
-- Flink joins sessions that touch: a pause of ten seconds ends one only if the gap is shorter by the least step.
SELECT bidder, COUNT(*), CAST(window_start AS TIMESTAMP_LTZ(3)),
  CAST(window_end + INTERVAL '0.001' SECOND AS TIMESTAMP_LTZ(3))
FROM SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(`dateTime`), INTERVAL '9.999' SECOND)
GROUP BY bidder, window_start, window_end;
