CREATE TABLE records (id STRING, g STRING, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${input}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'raw', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY'
);
CREATE TABLE answer (g STRING, c BIGINT, s BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'raw', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY',
  'sink.delivery-guarantee' = '${guarantee}', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer SELECT g, COUNT(*), SUM(n) FROM records GROUP BY g;
