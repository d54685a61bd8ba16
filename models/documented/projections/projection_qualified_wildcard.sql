-- All fields of one side of a join, and one of the other.

INSERT INTO projected-from-a-join
SELECT STREAM
    i1.*
  , i2.field1
FROM input-topic1 AS i1 JOIN input-topic2 AS i2
WITHIN 1h;
