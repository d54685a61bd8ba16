CREATE TABLE updates (
  _key BIGINT, id BIGINT, grp STRING, amount BIGINT, PRIMARY KEY (_key) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'updates', 'properties.bootstrap.servers' = '${bootstrap}',
  'scan.bounded.mode' = 'latest-offset', 'key.format' = 'raw', 'value.format' = 'json',
  'value.fields-include' = 'EXCEPT_KEY'
);
CREATE TABLE answer (grp STRING, n BIGINT, PRIMARY KEY (grp) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${output}', 'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'json', 'value.format' = 'json',
  'key.json.timestamp-format.standard' = 'ISO-8601', 'value.json.timestamp-format.standard' = 'ISO-8601',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '${id}',
  'properties.transaction.timeout.ms' = '600000'
);
INSERT INTO answer
SELECT grp, COUNT(*) FROM updates GROUP BY grp;
