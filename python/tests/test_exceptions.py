"""An exception that a signal raises while an argument is converted stays what it is."""

import pytest
from test_arguments import CASES, FUNCTIONS, call


class Alarm(Exception):
    """What a handler of a signal raises."""


def interrupted(kind):
    """An object during whose conversion a signal arrives, and the list of the methods that were called."""
    called = []

    def method(name):
        def raising(self, *_, **__):
            called.append(name)
            raise kind
        return raising

    names = "__array__ __bool__ __complex__ __float__ __getitem__ __index__ __int__ __iter__ __len__".split()
    return type("Interrupted", (), {name: method(name) for name in names})(), called


@pytest.mark.parametrize("kind", [Alarm, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("name", [one[0] for one in FUNCTIONS])
def test_exceptions_of_signals_stay_what_they_are(name, kind):
    swallowed = []
    for function, parameter in dict.fromkeys(case[:2] for case in CASES):
        for in_list in (False, True) if function == name else ():
            value, called = interrupted(kind)
            try:
                call(name, **{parameter: [value] if in_list else value})
            except kind:
                continue
            except Exception as error:
                caught = f"{type(error).__name__}: {error}"
            else:
                caught = "a result"
            if called:
                swallowed.append(f"{parameter}{' in a list' * in_list}: {called} became {caught}")
    assert not swallowed
