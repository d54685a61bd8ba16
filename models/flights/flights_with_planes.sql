-- Flights with the model and the year of their plane, as the register stood when they came in.
--
-- A STREAM joined with a TABLE: each flight meets the newest row of its tail number. A row that changes later does not
-- change what came out; a flight of a plane that the register does not have is left out.

WITH register AS (
    SELECT TABLE
        manufacturer
      , model
      , year
    FROM planes
);

INSERT INTO flights-with-planes
SELECT STREAM
    flight.carrier
  , flight.flight
  , flight.origin
  , flight.dest
  , register.manufacturer       AS plane.manufacturer
  , register.model              AS plane.model
  , register.year               AS plane.year
  , flight.year - register.year AS plane.age
FROM flights AS flight
    INNER JOIN register
        ON flight._key = register._key;
