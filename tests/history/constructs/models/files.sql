SELECT STREAM meter, level FROM readings
