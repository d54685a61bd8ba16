-- The key is the bare field; its name is dropped.

INSERT INTO counted-by-field
SELECT STREAM
    COUNT(*) AS records
FROM input-topic
GROUP BY field1;
