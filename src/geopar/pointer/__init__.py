"""Our own network: it decides who takes what, and a rule puts that where it costs least.

It is compiled, for CPUs: every agent scores the few tasks in its reach from relative features, so
that a step costs the same at every size of the instance.
"""
