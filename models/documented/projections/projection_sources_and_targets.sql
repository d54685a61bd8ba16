-- From both facets to both facets, and from none: the document's first example.

INSERT INTO projected-to-both-facets
SELECT STREAM
    CONCAT('a', 'b') AS result1
  , field4
  , (1 + field1) AS _key.a
  , _key.field2 AS result3
  , 5 + 7 AS constantField
  , CASE
      WHEN field3 = 'Robert' THEN 'It''s bobby'
      WHEN field3 = 'William' THEN 'It''s willy'
      ELSE 'Unknown'
    END AS who_is_it
FROM input-topic;
