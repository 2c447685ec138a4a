"""The HTTP application, its settings, and the command line."""
