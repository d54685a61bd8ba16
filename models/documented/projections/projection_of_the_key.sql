-- Fields of the key, into the value.

INSERT INTO projected-from-the-key
SELECT STREAM
    CONCAT('--> ', _key.field2, ' <--')
  , _key.field1
  , LENGTH(_key.field4)
  , 5 + _key.field3
FROM input-topic;
