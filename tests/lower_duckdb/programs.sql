-- Programs that together have every node, every kind of join, and chains of them. Each under its name.

# stream as it is
SELECT STREAM * FROM a

# table as it is
SELECT TABLE * FROM a

# stream projected and filtered
SELECT STREAM n + 1 AS n, COALESCE(name, '?') AS name FROM a WHERE n = 1 OR id > 0

# table projected and filtered
SELECT TABLE n AS n, _key AS k FROM a WHERE n = 1 OR name IS NULL

# filter by the key
SELECT STREAM id FROM a WHERE _key = 'p'

# case over nulls
SELECT STREAM CASE WHEN n = 1 THEN 'one' WHEN n > 1 THEN 'more' END AS c, n IN (0, NULL) AS i FROM a

# whole facets
SELECT STREAM _key AS old_key, _value AS old_value FROM a

# field as the value
SELECT STREAM n AS _value FROM a

# field as the value of a table
SELECT TABLE n AS _value FROM a

# null values filtered
WITH x AS (SELECT STREAM n AS _value FROM a);
SELECT STREAM _value AS v FROM x WHERE _value IS NULL

# primitive values
SELECT STREAM _value + 1 AS v FROM points WHERE _value > 0

# key made a struct
SELECT STREAM id AS _key.id, name AS _key.name, n FROM a

# struct keys
SELECT TABLE n, _key.side AS side FROM pairs WHERE _key.id = 1

# stream rekeyed
SELECT STREAM id AS _key, n FROM a

# table rekeyed
SELECT TABLE id AS _key, n FROM a

# table rekeyed, of bare values
SELECT TABLE name AS _key, n AS _value FROM a

# rekeyed table filtered
SELECT TABLE id AS _key, n, name FROM a WHERE n > 0

# two writers of one stream
INSERT INTO t SELECT STREAM id, n AS x FROM a;
INSERT INTO t SELECT STREAM id, m AS x FROM b

# two targets
WITH x AS (SELECT STREAM id, n FROM a WHERE n > 0);
INSERT INTO s SELECT STREAM * FROM x;
INSERT INTO t SELECT TABLE * FROM x

# table of a stream
WITH x AS (SELECT STREAM name AS _key, n FROM a);
SELECT TABLE * FROM x

# table of a filtered stream
WITH x AS (SELECT STREAM id, n FROM a WHERE n > 0);
SELECT TABLE * FROM x

# changes of a table
WITH x AS (SELECT TABLE n FROM a WHERE n > 0);
SELECT STREAM * FROM x

# changes of a table of a stream
WITH s AS (SELECT STREAM name AS _key, n FROM a);
WITH t AS (SELECT TABLE n FROM s);
SELECT STREAM n FROM t

# lateral
SELECT STREAM id, x FROM lists LATERAL xs AS x

# lateral and everything
SELECT STREAM * FROM lists LATERAL xs AS x WHERE x > 0

# lateral twice
SELECT STREAM id, x FROM nested LATERAL xss AS xs LATERAL xs AS x

# lateral of what the query lists
SELECT STREAM id, x FROM a LATERAL [id, n] AS x WHERE id IS NULL OR x IS NULL

# stream of joined elements with the elements
WITH q AS (SELECT TABLE id, x FROM lists LATERAL xs AS x);
WITH r AS (SELECT STREAM x, z FROM q RIGHT JOIN c);
SELECT STREAM r.z, q.x FROM r LEFT JOIN q ON q._key = r._key

# null elements as values
WITH e AS (SELECT STREAM x AS _value FROM lists LATERAL xs AS x);
SELECT STREAM _value AS v FROM e WHERE _value IS NULL OR _value > 0

# lateral of a table, counted
SELECT TABLE COUNT(*) AS n, SUM(x) AS s FROM lists LATERAL xs AS x GROUP BY id

# lateral of a table, rekeyed
SELECT TABLE x AS _key, id FROM lists LATERAL xs AS x

# lateral grouped
SELECT STREAM COUNT(*) AS n FROM lists LATERAL xs AS x GROUP BY x

# aggregate of a stream
SELECT STREAM COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS s, AVG(n) AS a FROM a GROUP BY id

# aggregate of a table
SELECT TABLE COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS s, AVG(n) AS a FROM a GROUP BY id

# ordered aggregates
SELECT STREAM FIRST(n) AS f, LAST(n) AS l, COLLECT(n, 3) AS c, COLLECT_UNIQUE(n, 2) AS u FROM a GROUP BY id

# greatest and least
SELECT STREAM MAXK(n, 1) AS m, MAXK(n, 2) AS mm, MINK(n, 2) AS i, MAXK_UNIQUE(n, 2) AS u FROM a GROUP BY id

# collected from a table
SELECT TABLE COLLECT(n, 2) AS c FROM a GROUP BY id

# groups of several keys
SELECT STREAM COUNT(*) AS c, id AS i FROM a GROUP BY id, name AS who

# grouped by an alias
SELECT TABLE COUNT(*) AS c FROM a WHERE n > 0 GROUP BY id AS id

# having
SELECT TABLE SUM(n) AS s FROM a GROUP BY id HAVING s > 1 AND SUM(n) IS NOT NULL

# grouped by the key
SELECT STREAM COUNT(*) AS c FROM a GROUP BY a._key

# aggregate of an aggregate
WITH x AS (SELECT STREAM SUM(n) AS s FROM a GROUP BY name);
SELECT TABLE COUNT(*) AS c, SUM(s) AS t FROM x GROUP BY s

# aggregate of pairs with another time
WITH x AS (SELECT TABLE a.id AS id, m FROM a JOIN b ON a.id = b.id);
SELECT TABLE COUNT(*) AS c, SUM(m) AS s FROM x EVENTTIME BY COALESCE(m, 0) * 7 GROUP BY id

# changes of a table with another time
WITH x AS (SELECT TABLE * FROM a EVENTTIME BY COALESCE(n, 0) * 7);
SELECT STREAM n FROM x

# collected in order of keys with nulls
SELECT TABLE COLLECT(n, 5) AS c FROM pairs GROUP BY _value IS NULL

# aggregate of a rekeyed table
WITH x AS (SELECT TABLE name AS _key, id, n FROM a);
SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM x GROUP BY id

# changes of an aggregate
WITH x AS (SELECT TABLE COUNT(*) AS c FROM a GROUP BY id);
SELECT STREAM c FROM x WHERE c > 0

# tables by key
SELECT TABLE n, m FROM a JOIN b

# tables by key, left
SELECT TABLE n, m FROM a LEFT JOIN b

# tables by key, right
SELECT TABLE n, m FROM a RIGHT JOIN b

# tables by key, outer
SELECT TABLE n, m FROM a OUTER JOIN b

# tables on fields
SELECT TABLE n, m FROM a JOIN b ON a.id = b.id

# tables on fields, left
SELECT TABLE n, m FROM a LEFT JOIN b ON a.id = b.id

# tables on fields, right
SELECT TABLE n, m FROM a RIGHT JOIN b ON a.id = b.id

# tables on fields, outer
SELECT TABLE n, m FROM a OUTER JOIN b ON a.id = b.id

# tables on a field and a key
SELECT TABLE n, m FROM a LEFT JOIN b ON a._key = b.ref

# tables on two equalities
SELECT TABLE n, m FROM a OUTER JOIN b ON a.id = b.id AND a.name = b.ref

# tables with conditions
SELECT TABLE n, m FROM a LEFT JOIN b ON a.id = b.id AND a.n > 0 AND b.m > 0

# tables with conditions, outer
SELECT TABLE n, m FROM a OUTER JOIN b ON a.n > 0 AND b.m > 0

# tables joined, then filtered
SELECT TABLE n, m FROM a LEFT JOIN b WHERE m IS NULL OR n = m

# tables joined, then filtered by the optional side
SELECT TABLE n, m FROM a LEFT JOIN b WHERE m > 0

# tables joined, then grouped
SELECT TABLE COUNT(*) AS c, SUM(m) AS s FROM a LEFT JOIN b ON a.id = b.id GROUP BY n

# tables of different numbers
SELECT TABLE n, a.id AS i FROM a JOIN c ON a.n = c.z

# three tables
WITH ab AS (SELECT TABLE a.id AS id, n, m FROM a LEFT JOIN b ON a.id = b.id);
SELECT TABLE n, m, z FROM ab LEFT JOIN d ON ab.m = d.id

# three tables by key
WITH ab AS (SELECT TABLE n, m FROM a OUTER JOIN b);
SELECT TABLE n, m, z FROM ab OUTER JOIN c

# a table with itself
SELECT TABLE x.n AS n, y.n AS m FROM a AS x LEFT JOIN a AS y ON x.n = y.id

# everything of two tables
SELECT TABLE * FROM a OUTER JOIN b ON a.id = b.id

# changes of a join
WITH ab AS (SELECT TABLE n, m FROM a LEFT JOIN b);
SELECT STREAM n, m FROM ab

# stream with table
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a JOIN t

# stream with table, left
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t

# table with stream, right
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM t RIGHT JOIN a

# stream with table on a field
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t ON a.id = t.id

# stream with table on a key
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t ON a.name = t._key

# stream with table and conditions
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t ON a.id = t.id AND a.n > 0 AND t.m > 0

# stream with filtered table
WITH t AS (SELECT TABLE * FROM b WHERE m > 0);
SELECT STREAM n, m FROM a LEFT JOIN t

# stream with aggregate
WITH t AS (SELECT TABLE COUNT(*) AS c FROM b GROUP BY ref);
SELECT STREAM n, c FROM a LEFT JOIN t

# stream with outer tables
WITH t AS (SELECT TABLE m, z FROM b OUTER JOIN c);
SELECT STREAM n, m, z FROM a LEFT JOIN t

# stream with left tables on a field
WITH t AS (SELECT TABLE b.id AS id, m, z FROM b LEFT JOIN c ON b.m = c.id);
SELECT STREAM d.z AS y, m, t.z AS z FROM d LEFT JOIN t ON d.id = t.id

# outer tables on a field, rekeyed
WITH ab AS (SELECT TABLE n, m FROM a JOIN b);
SELECT TABLE COALESCE(m, 9) AS _key, z FROM c LEFT JOIN ab

# two writers of one topic
INSERT INTO t SELECT STREAM id, n AS x FROM a;
INSERT INTO t SELECT STREAM n AS id, id AS x FROM a

# stream with rekeyed table
WITH t AS (SELECT TABLE ref AS _key, m FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t

# stream with table, grouped
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM COUNT(*) AS c, COUNT(m) AS cm FROM a LEFT JOIN t GROUP BY n

# missing table rows as values
WITH t AS (SELECT TABLE * FROM b);
WITH j AS (SELECT STREAM t._value AS _value FROM a LEFT JOIN t);
SELECT STREAM COUNT(*) AS c FROM j GROUP BY j._key

# newest of stream with table
WITH t AS (SELECT TABLE * FROM b);
WITH j AS (SELECT STREAM n, m FROM a LEFT JOIN t);
SELECT TABLE * FROM j

# streams
SELECT STREAM n, m FROM a JOIN b WITHIN 5ms

# streams, left
SELECT STREAM n, m FROM a LEFT JOIN b WITHIN 5ms ON a.id = b.id

# streams, right
SELECT STREAM n, m FROM a RIGHT JOIN b WITHIN 5ms ON a.id = b.id

# streams, outer
SELECT STREAM n, m FROM a OUTER JOIN b WITHIN 5ms ON a.id = b.id

# streams with conditions
SELECT STREAM n, m FROM a LEFT JOIN b WITHIN 9ms ON a.id = b.id AND a.n > 0 AND b.m > 0

# streams on two equalities
SELECT STREAM n, m FROM a OUTER JOIN b WITHIN 9ms ON a.id = b.id AND a.name = b.ref

# a stream with itself
SELECT STREAM x.n AS n, y.n AS m FROM a AS x LEFT JOIN a AS y WITHIN 5ms ON x.n = y.id

# streams filtered
SELECT STREAM n, m FROM a LEFT JOIN b WITHIN 9ms WHERE n > 0 AND m IS NULL

# three streams
WITH ab AS (SELECT STREAM a.id AS id, n, m FROM a LEFT JOIN b WITHIN 9ms);
SELECT STREAM n, m, z FROM ab OUTER JOIN c WITHIN 9ms ON ab.id = c.id

# streams, then a table
WITH ab AS (SELECT STREAM n, m FROM a OUTER JOIN b WITHIN 5ms);
WITH t AS (SELECT TABLE * FROM c);
SELECT STREAM n, m, z FROM ab LEFT JOIN t

# streams grouped
SELECT STREAM COUNT(*) AS c, LAST(m) AS l FROM a LEFT JOIN b WITHIN 9ms GROUP BY n

# streams laid open
WITH j AS (SELECT STREAM xs, n FROM lists JOIN a WITHIN 9ms);
SELECT STREAM n, x FROM j LATERAL xs AS x

# tables on their keys and a field
SELECT TABLE n, m FROM a LEFT JOIN b ON a._key = b._key AND a.id = b.id

# tables with conditions, right
SELECT TABLE n, m FROM a RIGHT JOIN b ON a.id = b.id AND a.n > 0 AND b.m > 0

# table with stream and conditions, right
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM t RIGHT JOIN a ON a.id = t.id AND a.n > 0 AND t.m > 0

# stream with table on two equalities
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM n, m FROM a LEFT JOIN t ON a.id = t.id AND a.name = t.ref

# stream with its own table
WITH t AS (SELECT TABLE * FROM a);
SELECT STREAM a.n AS n, t.n AS m FROM a LEFT JOIN t ON a.n = t.id

# stream with its own table by key
WITH t AS (SELECT TABLE * FROM a);
SELECT STREAM a.n AS n, t.n AS m FROM a JOIN t

# streams with conditions, outer
SELECT STREAM n, m FROM a OUTER JOIN b WITHIN 9ms ON a.id = b.id AND a.n > 0 AND b.m > 0

# elements of a table, named and grouped
WITH e AS (SELECT TABLE id, x FROM lists LATERAL xs AS x);
SELECT TABLE COUNT(*) AS c, SUM(x) AS s FROM e GROUP BY id

# elements of a table joined by key
WITH e AS (SELECT TABLE lists.id AS id, x FROM lists LATERAL xs AS x);
WITH j AS (SELECT TABLE x, n FROM e LEFT JOIN a);
SELECT TABLE COUNT(*) AS c, SUM(x) AS s FROM j GROUP BY n

# elements of a table joined on them
WITH e AS (SELECT TABLE lists.id AS id, x FROM lists LATERAL xs AS x);
SELECT TABLE e.id AS id, n FROM e OUTER JOIN a ON e.x = a.id

# stream with elements of a table
WITH e AS (SELECT TABLE lists.id AS id, x FROM lists LATERAL xs AS x);
SELECT STREAM n, e.id AS id FROM a LEFT JOIN e ON a.n = e.x

# lateral over the fields of a join
WITH j AS (SELECT STREAM n, m FROM a LEFT JOIN b WITHIN 9ms);
SELECT STREAM x FROM j LATERAL [n, m, 7] AS x WHERE x > 0 OR x IS NULL

# stream laid open, then a table
WITH e AS (SELECT STREAM id, x FROM lists LATERAL xs AS x);
WITH t AS (SELECT TABLE * FROM b);
SELECT STREAM x, m FROM e LEFT JOIN t ON e.x = t.id

# table of a filtered stream, joined
WITH x AS (SELECT STREAM name AS _key, id, n FROM a WHERE n > 0);
WITH t AS (SELECT TABLE * FROM x);
SELECT STREAM m, n FROM b LEFT JOIN t

# table of a stream, joined on a field
WITH x AS (SELECT STREAM name AS _key, id, n FROM a);
WITH t AS (SELECT TABLE * FROM x);
SELECT STREAM m, n FROM b LEFT JOIN t ON b.id = t.id

# tables of streams, joined on a field
WITH x AS (SELECT STREAM name AS _key, id, n FROM a WHERE n > 0);
WITH t AS (SELECT TABLE * FROM x);
SELECT TABLE m, n FROM b OUTER JOIN t ON b.id = t.id

# pairs joined with pairs
WITH ab AS (SELECT TABLE a.id AS id, n, m FROM a JOIN b ON a.id = b.id);
WITH cb AS (SELECT TABLE c.id AS id, c.z AS z, b.m AS y FROM c LEFT JOIN b ON c.id = b.id);
SELECT TABLE n, m, z, y FROM ab OUTER JOIN cb ON ab.m = cb.id

# elements of elements of a table
SELECT TABLE COUNT(*) AS c, SUM(x) AS s FROM nested LATERAL xss AS xs LATERAL xs AS x GROUP BY id

# least different ones
SELECT STREAM MINK_UNIQUE(n, 2) AS i, MAXK_UNIQUE(n, 1) AS u, COLLECT_UNIQUE(name, 9) AS c FROM a GROUP BY id

# collected from a rekeyed table
WITH x AS (SELECT TABLE name AS _key, id, n FROM a);
SELECT TABLE COLLECT(n, 3) AS c, COUNT(*) AS k, SUM(n) AS s FROM x GROUP BY id

# collected from joined tables
SELECT TABLE COLLECT(m, 5) AS c FROM a JOIN b ON a.id = b.id GROUP BY n

# collected from the elements of a table
SELECT TABLE COLLECT(x, 3) AS c FROM lists LATERAL xs AS x GROUP BY id

# stream with a table of maps
WITH t AS (SELECT TABLE * FROM tagged);
SELECT STREAM n, tags FROM a LEFT JOIN t

# stream of maps with a table
WITH t AS (SELECT TABLE * FROM a);
SELECT STREAM tags, n FROM tagged LEFT JOIN t

# stream of maps with a table of maps on a field
WITH t AS (SELECT TABLE * FROM tagged);
SELECT STREAM x.tags AS a, t.tags AS b FROM tagged AS x LEFT JOIN t ON x.id = t.id

# tables of maps
SELECT TABLE x.tags AS a, y.tags AS b FROM tagged AS x OUTER JOIN tagged AS y ON x.id = y.id

# table of maps rekeyed
SELECT TABLE id AS _key, tags FROM tagged

# sessions
SELECT STREAM COUNT(*) AS n, COLLECT(n, 3) AS ns FROM a WINDOW BY SESSION 3ms GRACE BY 5ms GROUP BY name

# changes of sessions
WITH s AS (SELECT STREAM COUNT(*) AS n FROM a WINDOW BY SESSION 3ms GRACE BY 5ms GROUP BY name);
SELECT STREAM * FROM s

# aggregate joined on its key, right
WITH w AS (SELECT TABLE COUNT(*) AS n FROM a GROUP BY name HAVING n < 2);
SELECT TABLE w.n AS n, b._key AS bk FROM w RIGHT JOIN b ON w._key = b.ref AND b.m > 0

# aggregate joined on its key, outer
WITH w AS (SELECT TABLE COUNT(*) AS n FROM a GROUP BY name HAVING n < 2);
SELECT TABLE w.n AS n, b._key AS bk FROM w OUTER JOIN b ON w._key = b.ref AND b.m > 0

# aggregate joined on a field, left
WITH u AS (SELECT STREAM MAXK(n, 1) AS m FROM a GROUP BY name);
SELECT TABLE u.m AS n, u._key AS uk, b._key AS bk FROM b LEFT JOIN u ON u.m = b.id

# aggregate rekeyed
WITH u AS (SELECT STREAM COUNT(*) AS n FROM a GROUP BY name);
SELECT TABLE n AS _key, u._key AS k FROM u

# aggregate joined and joined again
WITH w AS (SELECT TABLE COUNT(*) AS n FROM a GROUP BY name HAVING n < 2);
WITH wb AS (SELECT TABLE b.id AS id, n, b._key AS bk FROM b LEFT JOIN w ON w._key = b.ref AND b.m > 0);
SELECT TABLE n, z, bk FROM wb LEFT JOIN c ON wb.id = c.id

# tables by key, outer, rekeyed
SELECT TABLE COALESCE(n, m, 7) AS _key, a._key AS ak, b._key AS bk FROM a OUTER JOIN b

# tables on fields, filtered and rekeyed
WITH ab AS (SELECT TABLE a.id AS id, n, m FROM a LEFT JOIN b ON a.name = b.ref WHERE n IS NULL OR m IS NULL OR n <> m);
SELECT TABLE id AS _key, n, m FROM ab

# tables on fields, rekeyed, counted
WITH ab AS (SELECT TABLE COALESCE(n, m) AS _key, a.id AS id FROM a OUTER JOIN b ON a.id = b.id);
SELECT TABLE COUNT(*) AS c FROM ab GROUP BY id

# changes of outer tables, rekeyed
WITH ab AS (SELECT TABLE COALESCE(n, m) AS _key, a.id AS id FROM a OUTER JOIN b ON a.id = b.id);
SELECT STREAM id FROM ab
