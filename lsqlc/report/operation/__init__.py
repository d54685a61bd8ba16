"""Files for the operators of a project: alert rules, a dashboard, and a runbook per model."""
