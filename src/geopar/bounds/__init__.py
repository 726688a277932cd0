"""How good a plan could be at best: bounds that no plan beats, whatever made it.

Nothing here shares code with the searches and networks whose plans are judged by it. What a bound
rests on is one idea, in :mod:`geopar.bounds.prices`; the rest only looks for good prices.
"""
