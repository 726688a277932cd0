"""A Ray cluster of two nodes with one core each, where Ray is installed and can start."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import geopar


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason="needs the extra cluster")
    with pytest.MonkeyPatch.context() as patch:
        # Nodes are processes of their own, and import what tasks are made of.
        places = (Path(geopar.__file__).parents[1], Path(__file__).parent)
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, places)))
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Beside the other tests they would hardly have their turn.
        patch.setenv("RAY_worker_niceness", "0")
        # Its memory watch ends workers on a machine whose memory the other tests have filled.
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")
        try:
            cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
            for _ in range(2):
                cluster.add_node(num_cpus=1)
        except Exception as error:  # a sandbox without shared memory or sockets, for example
            pytest.skip(f"no Ray cluster can be started here: {error}")
        yield cluster
        cluster.shutdown()
