"""How much the long tests do: `make test` runs a small twin of each, `make test-night` the whole as well (tests/CMakeLists.txt sets
DUET_TEST_WHOLE=1 for entries whose names end in `.whole`).

    for program in some(programs, 5):      every fifth program; all of them at night
"""
import os

WHOLE = os.environ.get("DUET_TEST_WHOLE") == "1"


def some(items, step):
    """Every `step`th of the items, the first one included; all at night."""
    items = list(items)
    return items if WHOLE else items[::step]
