"""Generated answers that tests of calibration share."""

from hypothesis import strategies as st

unit = st.floats(0.0, 1.0) | st.integers(0, 10).map(lambda k: k / 10) | st.integers(0, 100).map(lambda k: k / 100)
#: (confidence, correct) of each row, ties and edges included
rows_of_answers = st.lists(st.tuples(unit, st.booleans()), min_size=1, max_size=60)
