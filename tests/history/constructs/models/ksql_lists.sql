{{ config(dialect="ksql") }}
CREATE STREAM sales (id STRING KEY, item STRING, price INT) WITH (KAFKA_TOPIC = 'sales', VALUE_FORMAT = 'JSON');
CREATE TABLE ksql_lists WITH (KAFKA_TOPIC = 'ksql_lists') AS
SELECT item, LATEST_BY_OFFSET(price, 2) AS latest, COLLECT_SET(price) AS prices, COUNT_DISTINCT(price) AS different,
  TOPK(price, 2) AS most, HISTOGRAM(id) AS ids FROM sales GROUP BY item;
