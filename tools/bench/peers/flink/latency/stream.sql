CREATE TABLE records (id STRING, g STRING, n BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '${input}', 'properties.bootstrap.servers' = '${bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'json',
  'value.fields-include' = 'EXCEPT_KEY'
);
CREATE TABLE answer (id STRING, g STRING, n BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY',
  'sink.delivery-guarantee' = '${guarantee}', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer SELECT id, g, n FROM records WHERE n > 0;
