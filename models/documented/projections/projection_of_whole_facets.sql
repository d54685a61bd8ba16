-- Each facet becomes a field, whatever it is.

INSERT INTO projected-facets
SELECT STREAM
    _key AS old-key
  , _value AS old-value
FROM input-topic-of-primitives;
