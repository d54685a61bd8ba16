-- The totals of each carrier under the name of its airline.
--
-- A TABLE joined with a TABLE: a row for each key that both have, made anew when either side changes. Without ON the
-- two are joined on their keys, here the carrier code.

INSERT INTO airline-delays
SELECT TABLE
    airline.name AS airline
  , total.flights
  , total.departures
  , total.mean_delay
FROM {{ ref('delays_by_carrier') }} AS total
    INNER JOIN airlines AS airline;
