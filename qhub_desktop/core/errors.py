"""Errors that are not bugs, by who can do something about them."""

from typing import Literal

Fault = Literal[
    "key",  # the key was refused, or there is none
    "credit",  # the account has no money left
    "model",  # the model's name is unknown or retired
    "rate",  # too many questions for now
    "overloaded",  # the service is too busy
    "network",  # nothing could be reached
    "cut",  # the connection broke in the middle of an answer
    "stalled",  # the service went silent
    "malformed",  # what arrived made no sense
    "refused",  # the service understood, and said no
    "other",
]


class QHubError(Exception):
    """Something a person can be told: `str(error)` is fit to be shown, with the next step in it."""


class UserError(QHubError):
    """The person can fix it: a file, a key, a setting."""

    def __init__(self, message: str, *, fault: Fault = "other") -> None:
        super().__init__(message)
        self.fault: Fault = fault


class ServiceError(QHubError):
    """The world outside failed; trying again may help.

    `retry_after_s` is how long the service asked us to wait, where it said so.
    """

    def __init__(
        self, message: str, *, fault: Fault = "other", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.fault: Fault = fault
        self.retry_after_s = retry_after_s


class ToolError(QHubError):
    """The model can fix it; the text is written for the model."""


class PasswordNeededError(UserError):
    """A file is protected, and the password is missing or wrong."""


class FileChangedError(UserError):
    """A file was written to while it was read; reading it again may help."""
