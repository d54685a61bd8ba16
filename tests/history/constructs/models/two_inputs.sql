INSERT INTO both_inputs SELECT STREAM item AS what FROM orders;
INSERT INTO both_inputs SELECT STREAM label AS what FROM items
