-- Records that satisfy a condition on a field which is not projected.

INSERT INTO selected
SELECT STREAM
    field1
  , field2
FROM input-topic
WHERE field3 = 'select_me';
