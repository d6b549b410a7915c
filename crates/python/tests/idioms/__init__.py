"""Small NumPy functions as people write them. `case` notes arguments to call each with; `test_idioms.py` compares with NumPy."""

CASES = []


def case(*arguments):
    """Calls of the function: each is made of a generator of random numbers, and returns its arguments."""

    def note(function):
        CASES.extend((function, one) for one in arguments)
        return function

    return note
