SET 'ksql.a' = 'b';  -- tune

-- the orders
CREATE STREAM orders (
    id INT KEY
  , item STRING
  , tags ARRAY<STRUCT<a INT, b MAP<STRING, ARRAY<INT>>>>
  , size BIGINT
  , `key` DECIMAL(4, 2)
  , amount INT
/* how many */ )
    WITH (kafka_topic = 'orders', value_format = 'json');

CREATE OR REPLACE STREAM IF NOT EXISTS o WITH (kafka_topic = 'o') AS
    SELECT id
      , item || 'x' AS y
      , -amount z
      , - -1
      , COUNT(*) n
      , ARRAY[1, 2][1]
      , CAST(amount AS VARCHAR(10)) c
      , STRUCT(a := 1, b := m['x']) s
      , TRANSFORM(tags, x => x->a + 1) t
      , CASE WHEN amount > 1 AND item = 'x' THEN 'a''b' ELSE NULL END k
      , 1R
      , a.st->f->g
      , orders.*  -- all
    FROM orders
    WHERE (amount BETWEEN 1 AND 2 OR item IS NOT NULL)
        AND item NOT LIKE '%x' ESCAPE '!'
        AND amount IN (1, 2, 3)
        AND item IS DISTINCT FROM 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'
    /* before grouping */ PARTITION BY item, id
    EMIT CHANGES;

CREATE TABLE t AS
    SELECT item, windowstart AS ws
    FROM orders
    WINDOW TUMBLING (SIZE 30 SECONDS, RETENTION 1 DAY, GRACE PERIOD 10 MINUTES)
    GROUP BY item
    HAVING COUNT(*) > 1
    EMIT FINAL;

CREATE STREAM j AS
    SELECT *
    FROM a
    LEFT JOIN b WITHIN (1 HOUR, 2 DAYS) GRACE PERIOD 3 MINUTES ON a.id = b.id
    FULL OUTER JOIN c WITHIN 1 DAY ON LEFT(a.x, 2) = c.y;

INSERT INTO orders (id, item)
    VALUES (1, 'x');

INSERT INTO o
    SELECT *
    FROM orders;

UNSET 'ksql.a';
