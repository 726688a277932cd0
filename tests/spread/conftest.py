from ray_fixture import ray_cluster  # noqa: F401
