-- The key becomes a bare STRING, since the field is one; the value is a structure of one field.

INSERT INTO projected-key
SELECT STREAM
    field1 AS result1
  , field2 AS _key
FROM input-topic;
