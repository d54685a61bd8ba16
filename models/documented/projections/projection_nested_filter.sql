-- A condition of several parts.

INSERT INTO selected-by-parts
SELECT STREAM
    field1
  , field2
FROM input-topic-with-texts
WHERE (field3 = 'select_me' AND LENGTH(CONCAT(field1, field2)) >= 5)
    OR field4 = (field5 + 5);
