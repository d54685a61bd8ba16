-- Several projections make the value a structure; the key stays what it is.

INSERT INTO projected-structure
SELECT STREAM
    field1 AS result1
  , field2
FROM input-topic;
