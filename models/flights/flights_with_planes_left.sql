-- All flights, with the model and the year of their plane where the register has it.
--
-- Like `flights_with_planes`, but nothing is left out: a plane that is not in the register, or a flight without a tail
-- number, gives nulls. If the plane is entered within the retention (7 days), the flight comes out once more, complete.

WITH register AS (
    SELECT TABLE
        manufacturer
      , model
      , year
    FROM planes
);

INSERT INTO flights-with-planes-left
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
    LEFT JOIN register
        ON flight._key = register._key;
