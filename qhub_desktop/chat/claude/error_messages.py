"""Errors of a service as sentences in the person's language, each with its next step."""

import math
from collections.abc import Mapping

from qhub_desktop.core.errors import (
    Fault,
    ProxyPasswordError,
    QHubError,
    ServiceError,
    UnencryptedKeyError,
    UserError,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import one_line, redact, sanitize
from qhub_desktop.core.values import dataclass

SHOWN_CHARACTERS = 200
LONGEST_RETRY_S = 86_400.0
SPENT_CODES = frozenset(
    {
        "contract_spend_limit_reached",
        "enforced_spend_limit_reached",
        "linked_organization_spend_limit_reached",
        "linked_organization_billing_unavailable",
    }
)


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An error as the service answered it. The status is 200 for one in the middle of an answer.

    Some services quote the request in it, with the key: no text of it is kept as it came.
    """

    status: int
    kind: str  # `error.type`; empty where the answer was no JSON, as a proxy's is
    code: str
    message: str
    retry_after_s: float | None = None

    @classmethod
    def of(
        cls, status: int, *, kind: object, code: object, message: object, retry_after: str
    ) -> "ErrorResponse":
        """Make one of what a service sent, which may be anything."""
        try:
            wait_s = float(retry_after)  # a date, which no service of ours sends, is passed over
        except ValueError:
            wait_s = math.nan
        return cls(
            status,
            _clean(kind),
            _clean(code),
            _clean(message),
            wait_s if 0 <= wait_s < LONGEST_RETRY_S else None,
        )

    @classmethod
    def of_stream(cls, body: Mapping[str, object]) -> "ErrorResponse":
        """Make one of an event in the middle of an answer."""
        said = body.get("error")
        error = said if isinstance(said, dict) else {"message": said}
        details = error.get("details")
        return cls.of(
            200,
            kind=error.get("type"),
            code=details.get("error_code") if isinstance(details, dict) else None,
            message=error.get("message"),
            retry_after="",
        )


def _clean(said: object) -> str:
    return redact(sanitize(said)) if isinstance(said, str) else ""


def response_error(response: ErrorResponse, *, host: str, model: str) -> QHubError:
    """Make the sentence for an error that the service answered with."""
    match response:
        # Services use one status for several things, so the surest signs come first.
        case _ if is_without_credit(response):
            return UserError(
                _(
                    "The account at {host} has no credit left. Add some there, or choose the"
                    " offline engine in Settings."
                ).format(host=host),
                fault="credit",
            )
        case ErrorResponse(kind="authentication_error") | ErrorResponse(status=401):
            return UserError(
                _("{host} refused the key. Correct it in Settings, under Engine.").format(
                    host=host
                ),
                fault="key",
            )
        case ErrorResponse(kind="not_found_error", message=said) if (
            "model" in said or model in said
        ):
            return unknown_model(model, ())
        case ErrorResponse(kind="not_found_error") | ErrorResponse(status=404 | 405):
            return UserError(
                _(
                    "What answers at {host} is not a service for questions. Correct the address in"
                    " Settings, under Engine."
                ).format(host=host)
            )
        case ErrorResponse(kind="permission_error") | ErrorResponse(status=403):
            return UserError(
                _(
                    "{host} does not allow this with the present key ({reason}). Ask whoever"
                    " manages the account."
                ).format(host=host, reason=_short(response)),
                fault="refused",
            )
        case ErrorResponse(kind="rate_limit_error") | ErrorResponse(status=429):
            return _too_many(response.retry_after_s)
        case ErrorResponse(kind="overloaded_error") | ErrorResponse(status=529 | 503):
            return ServiceError(
                _("The service is too busy for now. Try again in a moment."), fault="overloaded"
            )
        case ErrorResponse(kind="request_too_large") | ErrorResponse(status=413):
            return _too_long()
        case ErrorResponse(status=400, message=said) if "too long" in said or "context" in said:
            return _too_long()
        case ErrorResponse(kind="timeout_error") | ErrorResponse(status=408):
            return ServiceError(
                _("The service took too long. Try again in a moment."), fault="stalled"
            )
        case ErrorResponse(status=status) if 400 <= status < 500:
            return UserError(
                _(
                    "{host} did not accept the question ({reason}). Ask in another way, or start a"
                    " new conversation."
                ).format(host=host, reason=_short(response)),
                fault="refused",
            )
        case _:
            return ServiceError(
                _("The service has a problem of its own ({reason}). Try again in a moment.").format(
                    reason=response.status if response.status >= 500 else _short(response)
                ),
                fault="overloaded",
            )


def is_without_credit(response: ErrorResponse) -> bool:
    """Return whether the account has no money left, in any of the ways to say so."""
    return (
        response.kind == "billing_error"
        or response.status == 402
        or response.code in SPENT_CODES
        or (response.status == 400 and "credit balance" in response.message)
    )


def no_key(host: str) -> UserError:
    """Make the error for a missing key."""
    return UserError(
        _(
            "There is no key for {host}. Enter one in Settings, under Engine, or choose the offline"
            " engine there."
        ).format(host=host),
        fault="key",
    )


def unknown_model(model: str, names: tuple[str, ...]) -> UserError:
    """Make the error for a model that does not exist (any more); `names` are those that do."""
    if not names:
        return UserError(
            _(
                "The model '{model}' does not exist, or was retired. Choose another in Settings,"
                " under Engine."
            ).format(model=model),
            fault="model",
        )
    return UserError(
        _(
            "The model '{model}' does not exist, or was retired. Choose one of these in Settings,"
            " under Engine: {names}."
        ).format(model=model, names=", ".join(names)),
        fault="model",
    )


def unreachable(host: str) -> ServiceError:
    """Make the error for a connection that did not come about."""
    return ServiceError(
        _(
            "{host} cannot be reached. Check the network and try again, or choose the offline"
            " engine in Settings."
        ).format(host=host),
        fault="network",
    )


def proxy_unusable(proxy: str, host: str) -> UserError:
    """Make the error for a proxy in the environment or the system that is none, or not of a kind
    that can be used.
    """
    return UserError(
        _(
            "The proxy '{proxy}', through which {host} is to be reached, cannot be used: only"
            " http, https, socks5 and socks5h can. Correct it in the system's settings (or in"
            " HTTPS_PROXY, HTTP_PROXY and ALL_PROXY), and start the program again."
        ).format(proxy=proxy, host=host),
        fault="setup",
    )


def proxy_failed(proxy: str, host: str) -> ServiceError:
    """Make the error for a proxy that does not answer, or does not let us through."""
    return ServiceError(
        _(
            "The proxy '{proxy}' does not let us through to {host}. Check the network and the"
            " system's proxy settings, or choose the offline engine in Settings."
        ).format(proxy=proxy, host=host),
        fault="setup",
    )


def proxy_password(proxy: str, host: str) -> ProxyPasswordError:
    """Make the error for a proxy that wants a name and a password, or other ones."""
    return ProxyPasswordError(
        _(
            "The proxy '{proxy}', on the way to {host}, wants a name and a password. Enter them in"
            " Settings, under Network, or with: qhub proxy --user NAME"
        ).format(proxy=proxy, host=host),
        proxy=proxy,
    )


def script_unanswered(script: str) -> str:
    """Return what to say of an automatic proxy script that could not be asked."""
    return _(
        "The automatic proxy script {script} could not be asked: the service is sought without it."
    ).format(script=one_line(script, most=SHOWN_CHARACTERS))


def certificates_missing(file: str) -> UserError:
    """Make the error for a file of the company's certificates that is not there."""
    return UserError(
        _(
            "The file of certificates {file} cannot be read. Choose it again in Settings, under"
            " Network, or ask your IT department for it."
        ).format(file=one_line(file, most=SHOWN_CHARACTERS)),
        fault="network_setup",
    )


def certificates_unusable(file: str) -> UserError:
    """Make the error for a file of the company's certificates that holds none."""
    return UserError(
        _(
            "There is no certificate in {file}. Ask your IT department for the company's root"
            " certificate as a file '.cer' or '.pem', and choose it in Settings, under Network."
        ).format(file=one_line(file, most=SHOWN_CHARACTERS)),
        fault="network_setup",
    )


def certificates_unreadable() -> UserError:
    """Make the error for a file of certificates that is not there, or holds none."""
    return UserError(
        _(
            "The certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be read. Correct the"
            " variable, and start the program again."
        ),
        fault="setup",
    )


def redirected(host: str, other: str) -> UserError:
    """Make the error for a service that sends on to another one, which must not see the key."""
    return UserError(
        _(
            "{host} sends on to another address, {other}: nothing was sent there. If it is the"
            " right one, enter it in Settings, under Engine."
        ).format(host=host, other=other),
        fault="setup",
    )


def unencrypted_key(host: str) -> UnencryptedKeyError:
    """Make the error for a key that anybody on the network could read."""
    return UnencryptedKeyError(
        _(
            "The key would go to {host} without encryption, and whoever is on the network could"
            " read it: nothing was sent. Use an address with https://, or test the connection in"
            " Settings, under Engine, and allow it there."
        ).format(host=host),
        host=host,
    )


def untrusted(host: str) -> UserError:
    """Make the error for a certificate that this computer does not trust."""
    return UserError(
        _(
            "This computer does not trust the certificate of {host}. Ask your IT department for the"
            " company's root certificate, and choose its file in Settings, under Network."
        ).format(host=host),
        fault="network_setup",
    )


def connection_lost() -> ServiceError:
    """Make the error for a connection that ended before the answer did."""
    return ServiceError(
        _("The connection broke off in the middle of the answer. What arrived is kept; try again."),
        fault="cut",
    )


def no_answer_in_time(seconds: float) -> ServiceError:
    """Make the error for a service that sent nothing for so many seconds."""
    return ServiceError(
        _("The service has been silent for {seconds} s. What arrived is kept; try again.").format(
            seconds=number(seconds)
        ),
        fault="stalled",
    )


def malformed_answer(host: str) -> ServiceError:
    """Make the error for an answer that is not in the wire format."""
    return ServiceError(
        _(
            "What {host} sent made no sense. Try again; if it happens again, check the address in"
            " Settings, under Engine."
        ).format(host=host),
        fault="malformed",
    )


def web_page(host: str) -> ServiceError:
    """Make the error for a web page instead of an answer: networks send one until a sign-in."""
    return ServiceError(
        _(
            "A web page came instead of an answer from {host}. Sign in to the network if it asks"
            " for that, or check the address in Settings, under Engine."
        ).format(host=host),
        fault="network",
    )


def retry_text(fault: Fault) -> str:
    """Return what to say before a new try. The window adds the seconds."""
    match fault:
        case "rate":
            return _("Too many questions for now.")
        case "overloaded":
            return _("The service is busy.")
        case "network":
            return _("No connection.")
        case _:
            return _("No answer came.")


def _too_many(retry_after_s: float | None) -> ServiceError:
    if retry_after_s is None:
        sentence = _("Too many questions for now. Try again in a minute.")
    else:
        sentence = _("Too many questions for now. Try again in {seconds} s.").format(
            seconds=f"{retry_after_s:.0f}"
        )
    return ServiceError(sentence, fault="rate", retry_after_s=retry_after_s)


def _too_long() -> UserError:
    return UserError(
        _(
            "The conversation has become too long for the model. Start a new one, or send fewer"
            " messages of history (Settings, under Limits)."
        ),
        fault="refused",
    )


def _short(response: ErrorResponse) -> str:
    """Shorten the service's own words to what is worth showing."""
    if not response.kind:
        return str(response.status)
    return one_line(response.message or response.kind, most=SHOWN_CHARACTERS)
