"""Why a page is not there any more."""

from typing import Literal

Ending = Literal[
    "spinning",  # it did not answer
    "memory",  # it held too much
    "flooding",  # it kept the program itself too busy
    "strayed",  # it became another page
    "died",  # its process ended by itself
]
