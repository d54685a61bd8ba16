-- Dots in an alias make a structure.

INSERT INTO projected-into-a-structure
SELECT STREAM
    field1 AS x.a
  , field2 AS x.b
FROM input-topic;
