"""What a reader must deliver, decided from the query before any file or topic is opened."""
