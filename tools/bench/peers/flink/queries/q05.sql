CREATE TABLE answer (auction BIGINT, num BIGINT, starttime TIMESTAMP_LTZ(3)) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
WITH counted AS (
  SELECT auction, COUNT(*) AS num, window_start, window_end
  FROM HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND)
  GROUP BY auction, window_start, window_end
),
largest AS (SELECT MAX(num) AS maxn, window_start, window_end FROM counted GROUP BY window_start, window_end)
SELECT c.auction, c.num, CAST(c.window_start AS TIMESTAMP_LTZ(3))
FROM counted AS c JOIN largest AS m ON c.window_start = m.window_start AND c.window_end = m.window_end
WHERE c.num = m.maxn;
