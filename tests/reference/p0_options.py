"""Black-Scholes prices of given calls and puts."""

from l0_text import arguments, show
from p0 import price

show([price(*option) for option in zip(*arguments("p0_options"))])
