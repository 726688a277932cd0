"""GeoPAR as published: projection windows, parallel pointers, conflict-aware assignment.

``windows`` is the geometric cache (Eqs. 3, 17 and 20), ``tokens`` the raw features, ``attention``
and ``encoder`` the sparse edge-biased encoder (Eqs. 4 and 5), ``observation`` what agents see of a
state, ``decoder`` queries, communication and pointer (Eqs. 6 to 9), ``assignment`` Algorithm 1
(Eqs. 10, 12 and 18 to 23), ``policy`` all of it together, ``decoding`` one pass from a problem to
a plan and ``config`` every setting. The objectives (Eqs. 14 to 16) are in
:mod:`geopar.problems`, training (Eqs. 11 and 13) in :mod:`geopar.learn`.
"""
