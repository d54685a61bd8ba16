"""Deploying changed models beside those that run: staged, compared, promoted, and taken back."""
