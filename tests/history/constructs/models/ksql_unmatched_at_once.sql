{{ config(dialect="ksql") }}
CREATE STREAM sales (id STRING KEY, item STRING, price INT) WITH (KAFKA_TOPIC = 'sales', VALUE_FORMAT = 'JSON');
CREATE STREAM offers (id STRING KEY, paid INT) WITH (KAFKA_TOPIC = 'offers', VALUE_FORMAT = 'JSON');
CREATE STREAM ksql_unmatched_at_once WITH (KAFKA_TOPIC = 'ksql_unmatched_at_once') AS
SELECT sales.id, item, paid FROM sales LEFT JOIN offers WITHIN 1 MINUTE ON sales.id = offers.id;
