CREATE STREAM rides (bike STRING KEY, station STRING, minutes INT, cancelled BOOLEAN)
    WITH (KAFKA_TOPIC = 'rides', VALUE_FORMAT = 'JSON');

-- A STREAM: each record is a separate event. The key, which is the bike, is kept.
CREATE STREAM arrivals WITH (KAFKA_TOPIC = 'arrivals') AS
    SELECT bike, station, minutes
    FROM rides
    WHERE NOT cancelled;
