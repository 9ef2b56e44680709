"""What parts of the store need of it: work on the database, done on the thread that owns it."""

import sqlite3
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")


class OnWorker(Protocol):
    """Work on the database, done on the thread that owns it."""

    async def __call__(
        self,
        work: Callable[Concatenate[sqlite3.Connection, Inputs], Output],
        *args: Inputs.args,
        **kwargs: Inputs.kwargs,
    ) -> Output:
        """Do it."""
        ...
