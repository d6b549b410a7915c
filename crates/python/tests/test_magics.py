"""`%%l0` and `%%sac`, with as much of a shell as they use: IPython need not be there."""

import numpy as np
import pytest

import frit


class Shell:
    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, kind, name):
        assert kind == "cell"
        self.magics[name] = function


@pytest.fixture
def shell():
    shell = Shell()
    frit.load_ipython_extension(shell)
    return shell


def test_functions_of_a_cell_get_their_names(shell):
    shell.magics["sac"]("", "double twice(double x) { return 2.0 * x; }\nint one() { return 1; }\n")
    assert shell.user_ns["twice"](1.5) == 3.0 and shell.user_ns["one"]() == 1
    shell.magics["l0"]("", "fun real main([real] a) = reduce(op +, 0.0, a)\n")
    assert shell.user_ns["main"](np.array([1.0, 2.0])) == 3.0


def test_a_name_gets_the_program(shell):
    shell.magics["l0"](" sums ", "fun real main([real] a) = reduce(op +, 0.0, a)\n")
    assert list(shell.user_ns) == ["sums"] and shell.user_ns["sums"].main(np.ones(4)) == 4.0
    with pytest.raises(ValueError, match="one name"):
        shell.magics["l0"]("a b", "fun int main() = 1\n")


def test_mistakes_are_those_of_the_cell(shell):
    with pytest.raises(frit.CompileError, match="no variable `x`"):
        shell.magics["l0"]("", "fun int main() = x\n")
    assert shell.user_ns == {}
