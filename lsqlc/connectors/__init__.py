"""Where the records of topics are: what every connector does, and one folder for each connector."""
