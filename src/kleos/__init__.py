"""Kleos: an event-sourced backend for board games.

``kleos.core`` holds the rules, ``kleos.events`` the log, ``kleos.projections`` the read models and
``kleos.api`` the HTTP application and the command line. Imports go in that order only.
"""
