-- A copy: the same fields, schema and data.

INSERT INTO copied
SELECT STREAM *
FROM input-topic;
