import subprocess
import sys

import geopar


def test_the_package_runs_as_a_module() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "geopar", "--version"], capture_output=True, text=True, check=True
    )
    assert geopar.__version__ in found.stdout
