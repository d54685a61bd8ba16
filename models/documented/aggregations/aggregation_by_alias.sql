-- An alias keeps the key a structure.

INSERT INTO counted-by-alias
SELECT STREAM
    COUNT(*) AS records
FROM input-topic
GROUP BY field1 AS keep_me;
