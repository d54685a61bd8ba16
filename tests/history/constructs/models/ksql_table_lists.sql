{{ config(dialect="ksql") }}
CREATE TABLE prices (id STRING PRIMARY KEY, item STRING, price INT) WITH (KAFKA_TOPIC = 'prices', VALUE_FORMAT = 'JSON');
CREATE TABLE ksql_table_lists WITH (KAFKA_TOPIC = 'ksql_table_lists') AS
SELECT item, HISTOGRAM(id) AS ids, COLLECT_LIST(price) AS prices FROM prices GROUP BY item;
