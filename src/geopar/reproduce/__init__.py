"""The paper's experiments: every table and figure, measured again beside what is published.

One module for each experiment, with one interface (:mod:`geopar.reproduce.experiment`); what is
published is data (:mod:`geopar.reproduce.published`). What was measured goes to a file line by
line, so that a run that was cut off goes on where it was.
"""
