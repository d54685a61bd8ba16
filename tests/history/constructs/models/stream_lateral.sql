SELECT STREAM item, tag FROM orders LATERAL tags AS tag
