-- Where each plane last flew to, with what the register knows of it.
--
-- Both topics are read as a TABLE by tail number. A plane that the register does not have stays, with nulls, and is
-- completed if it is entered later.
--
-- A bare SELECT writes to the topic that is called after the model: `last_seen`.

SELECT TABLE
    flight.dest      AS airport
  , flight.time_hour AS departed
  , plane.manufacturer
  , plane.model
  , plane.seats
FROM flights AS flight
    LEFT JOIN planes AS plane
        ON flight._key = plane._key;
