-- Every record joined with each element of its array.

INSERT INTO source-elements
SELECT STREAM *
FROM source LATERAL elements AS element;
