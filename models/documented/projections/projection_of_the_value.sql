-- Fields of the value, with _value and without; what has no alias is named by its text.

INSERT INTO projected-from-the-value
SELECT STREAM
    CONCAT('--> ', _value.field2, ' <--')
  , field1
  , LENGTH(field4)
  , _value.field1 AS aliased
  , 5 + field3
FROM input-topic-with-numbers;
