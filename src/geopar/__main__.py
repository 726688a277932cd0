"""``python -m geopar``: the command line, where its script is not on the path."""

from geopar.cli import main

if __name__ == "__main__":
    main()
