"""Campaigns against the package itself: far more random cases than the tests have time for.

``python -m geopar.testing --help`` lists them. Nothing else in the package uses this room.
"""
