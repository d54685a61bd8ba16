"""What operators of a project need: alert rules, a dashboard, and what to do when an alert fires."""
