CREATE STREAM arrivals (bike STRING KEY, station STRING, minutes INT)
    WITH (KAFKA_TOPIC = 'arrivals', VALUE_FORMAT = 'JSON');

-- Over a STREAM every record counts.
CREATE TABLE rides_by_station WITH (KAFKA_TOPIC = 'rides_by_station') AS
    SELECT station, COUNT(*) AS rides, AVG(minutes) AS minutes
    FROM arrivals
    GROUP BY station;
