"""What the checker knows of each problem; :func:`geopar.checking.check` is the way in.

``visits`` is what all problems have in common. A problem's own module has a function
``judge(problem, visits, found)``: it adds every rule broken to ``found``, and returns when each
vehicle is done and the objective. Nothing here is shared with the environments and solvers whose
work is judged, not even the lookup of ids, so that one mistake cannot be made on both sides; what
the problem itself says (its numbers, its travel) is not theirs.
"""
