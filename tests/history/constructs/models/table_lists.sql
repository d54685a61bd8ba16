SELECT TABLE COLLECT(price, 3) AS prices FROM orders GROUP BY item
