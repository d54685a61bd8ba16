-- Records: what is corrected later changes no warning that was given.
CREATE STREAMING TABLE warnings AS
SELECT r.meter, m.district, r.at, r.level
FROM STREAM(readings) AS r JOIN meters AS m ON r.meter = m._key
WHERE r.level > m.warns_above
