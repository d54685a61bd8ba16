CREATE TABLE answer (id BIGINT, name STRING, starttime TIMESTAMP_LTZ(3)) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT p.id, p.name, CAST(p.window_start AS TIMESTAMP_LTZ(3))
FROM (
  SELECT id, name, window_start, window_end
  FROM TUMBLE(TABLE person, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY id, name, window_start, window_end
) AS p
JOIN (
  SELECT seller, window_start, window_end
  FROM TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY seller, window_start, window_end
) AS a ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end;
