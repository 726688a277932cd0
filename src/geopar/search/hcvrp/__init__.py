"""Ruin and recreate for the min-max HCVRP.

``data`` holds what never changes, ``state`` the plan that is being changed, ``ruin`` and
``recreate`` take it apart and together, ``trips`` moves whole trips, ``anneal`` decides.
"""
