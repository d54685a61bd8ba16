{{ config(dialect="ksql") }}
CREATE TABLE prices (id STRING PRIMARY KEY, item STRING, price INT) WITH (KAFKA_TOPIC = 'prices', VALUE_FORMAT = 'JSON');
CREATE TABLE groups WITH (KAFKA_TOPIC = 'groups') AS SELECT item, COUNT(*) AS n FROM prices GROUP BY item;
CREATE TABLE ksql_group_times WITH (KAFKA_TOPIC = 'ksql_group_times') AS SELECT item, n, ROWTIME AS at FROM groups;
