-- The value becomes a bare INT.

INSERT INTO projected-value
SELECT STREAM field1 AS _value
FROM input-topic;
