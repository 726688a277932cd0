"""The HTTP service: ``geopar serve``.

Requests are read and validated in the server's process, solved in worker processes, and kept in
SQLite. Importing this package loads nothing but itself.
"""
