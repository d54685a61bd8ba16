-- Departures an hour late or more, keyed by the airport that they left from.
--
-- A STREAM: each flight is judged by itself, and comes out once or not at all.

-- What is of interest about a flight. `delay.made_up` are the minutes won back in the air; negative: lost.
WITH departures AS (
    SELECT STREAM
        carrier
      , flight
      , origin
      , dest
      , _key                  AS tailnum
      , time_hour             AS scheduled
      , dep_delay             AS delay.departure
      , arr_delay             AS delay.arrival
      , dep_delay - arr_delay AS delay.made_up
    FROM flights
);

-- A flight that never left has no departure delay, and null is no number of minutes: it stays out too.
WITH late AS (
    SELECT STREAM *
    FROM departures
    WHERE delay.departure >= {{ var('late_minutes') }}
);

-- The alias `_key` gives the records another key, so they move to another partition; `tailnum` keeps the old one.
INSERT INTO late-departures
SELECT STREAM
    origin                                  AS _key
  , CONCAT(carrier, CAST(flight AS STRING)) AS flight
  , tailnum
  , scheduled
  , origin                                  AS route.origin
  , dest                                    AS route.dest
  , delay
  , CASE
        WHEN delay.departure >= 360 THEN 'at least six hours'
        WHEN delay.departure >= 180 THEN 'at least three hours'
        ELSE 'at least an hour'
    END                                     AS how_late
FROM late;
