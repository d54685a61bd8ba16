CREATE TABLE records (g STRING, n BIGINT, made TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL) WITH (
  'connector' = 'kafka', 'topic' = '${input}', 'properties.bootstrap.servers' = '${bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
CREATE TABLE answer (g STRING, began TIMESTAMP_LTZ(3), c BIGINT, s BIGINT, PRIMARY KEY (g, began) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'json', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY',
  'sink.delivery-guarantee' = '${guarantee}', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer SELECT g, FLOOR(made TO HOUR), COUNT(*), SUM(n) FROM records GROUP BY g, FLOOR(made TO HOUR);
