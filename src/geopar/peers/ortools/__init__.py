"""OR-Tools' routing library on both problems (Perron & Furnon, developers.google.com/optimization).

It works on whole numbers and has its own local search; this folder says what the problems are in
its terms (:mod:`hcvrp`, :mod:`omdcpdp`), lets it run under our stop rules (:mod:`search`) and makes
solvers of it (:mod:`solver`).
"""
