CREATE TABLE bikes (bike STRING PRIMARY KEY, station STRING, minutes INT)
    WITH (KAFKA_TOPIC = 'arrivals', VALUE_FORMAT = 'JSON');

-- Over a TABLE only the newest record of a bike counts: the bike leaves one group and enters another.
CREATE TABLE bikes_at_station WITH (KAFKA_TOPIC = 'bikes_at_station') AS
    SELECT station, COUNT(*) AS bikes
    FROM bikes
    GROUP BY station;
