"""Test cases that other projects wrote, run against lsqlc. They lie beside the repository and are no part of it."""
