SELECT STREAM FIRST(price) AS f, LAST(price) AS l, COLLECT(price, 3) AS c, COLLECT_UNIQUE(price, 3) AS u,
  MAXK(price, 2) AS most, MINK(price, 1) AS least, MAXK_UNIQUE(price, 2) AS m FROM orders GROUP BY item
