CREATE TABLE answer (category BIGINT, average DOUBLE, PRIMARY KEY (category) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'json', 'value.format' = 'json',
  'key.json.timestamp-format.standard' = 'ISO-8601', 'value.json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT category, AVG(CAST(final AS DOUBLE))
FROM (
  SELECT a.id, a.category, MAX(b.price) AS final
  FROM auction AS a JOIN bid AS b ON a.id = b.auction
  WHERE b.`dateTime` BETWEEN a.`dateTime` AND a.expires
  GROUP BY a.id, a.category
)
GROUP BY category;
