"""Tools of an agent: what one is, and how a typed method becomes one."""

import inspect
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any, Literal, TypeVar, cast

import pydantic

from qhub_desktop.core.asking import Reply, Unanswered
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import InputError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Clarification, Gives, ToolSpec
from qhub_desktop.core.result_widgets import Provenance, Shown
from qhub_desktop.core.text import field_words, gettext_noop, value_words
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

# Looking for plugins reads what every installed package says of itself, and none is wanted.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

DECLINED = "não confirmado pela pessoa"  # begins the result of a call that was not let run
Category = Literal["data", "render", "dashboard", "compute", "action", "ask"]
Risk = Literal["read", "compute", "write", "network"]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Output of a tool: JSON for the model, a widget for the person, the numbers' source.

    `more` are widgets beside the first one, `passages` those of documents. What failed and has
    something to show is an error, too.
    """

    content: Json
    widget: Shown | None = None
    source: Provenance | None = None
    more: tuple[Shown, ...] = ()
    is_error: bool = False
    passages: tuple[Citation, ...] = ()


async def _always() -> bool:
    return True


def _unheard(_words: str) -> None:
    """Drop a progress report."""


async def _unasked(_question: Clarification) -> Reply:
    """Answer for nobody."""
    return Unanswered("ninguem")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Place of a call: the conversation, the data sets pinned to it, and who asks.

    `person` is the account, "" where nobody signs in; `agent` the one that is asked; `message` the
    answer that the call stands in, `call` its id there, and `engine` who makes it. A tool learns of
    them from here alone. `tell` takes a sentence on what the tool is doing, where that takes long;
    `ask` puts a question to the person, and waits.
    """

    conversation: ConversationId
    profiles: tuple[DatasetProfile, ...]
    tell: Callable[[str], None] = _unheard
    ask: Callable[[Clarification], Awaitable[Reply]] = _unasked
    person: str = ""
    message: MessageId | None = None
    call: str = ""
    engine: str = ""
    agent: str = ""


Method = Callable[..., Awaitable[ToolOutput]]
# Of a call: why the person is asked first, in a sentence for them; "" to let it run.
AskReason = Callable[..., Awaitable[str]]
AnyMethod = TypeVar("AnyMethod", bound=Method)


@dataclass(frozen=True, slots=True)
class Declaration:
    """Description of a tool besides its schema. Texts are catalogue keys.

    `label` is shown while it runs, `consent` stands on the button that lets it run, `name` where a
    form offers it. `agents` are
    those that have it unless they choose their tools themselves; `None` for every agent. `code`
    names the parameter that holds code to be run, which the person may change where they are asked.
    `gives`, `opened_by` and `cue` are those of `ToolSpec`. `ask_reason` is a method of the toolbox
    with the tool's parameters: the person is asked where it gives a reason.
    """

    label: str
    category: Category
    risk: Risk
    agents: tuple[str, ...] | None = None
    consent: str = gettext_noop("Allow")
    code: str = ""
    gives: Gives = "rows"
    opened_by: str = ""
    cue: str = ""
    ask_reason: AskReason | None = None
    name: str = ""


FORM_MARK = "form"  # in a schema: what a form shows of the parameter, and no model is told
Takes = Literal["", "column", "numbers", "dataset", "points", "kept", "hidden"]


def in_form(
    takes: Takes = "",
    *,
    words: Mapping[str, str] | None = None,
    choices: tuple[str, ...] = (),
    usual: Json = None,
    nothing: str = "",
    when: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, Any]:
    """Return the mark of a parameter's schema: what a form knows besides the label, its `title`.

    It takes a column (one of numbers), a data set, points of a chart; or it is kept as it was
    given, and may be dropped, or is not shown. `words` are catalogue keys of the choices, `choices`
    those of a list. Left out, it is the `usual` value, or what `nothing` says. It is asked for only
    `when` other parameters have one of these values.
    """
    mark = {"takes": takes, "words": words, "choices": choices, "usual": usual}
    return {FORM_MARK: {**mark, "nothing": nothing, "when": when}}


@dataclass(frozen=True, slots=True)
class InputField:
    """A parameter of a tool, as a form has it: what may be chosen, or the limits of what is given.

    `label` is in the person's words, as are the `words` of choices. Without `choices` it is a
    number where `least` and `most` are given, else a text of at most `length` characters; `kinds`
    are the types that JSON has for it. For the others, see `in_form`. A parameter's own part is
    called `parameter.part`.
    """

    name: str
    label: str
    choices: tuple[str, ...]
    least: float | None
    most: float | None
    length: int
    is_required: bool
    kinds: frozenset[str] = frozenset(["string"])
    takes: Takes = ""
    words: Mapping[str, str] = field(default_factory=dict)
    usual: Json = None
    nothing: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_above: bool = False  # it has to be more than `least`

    def of(self, given: JsonObject) -> Json:
        """Return this field's value in the input of the tool; None for nothing."""
        value: Json = given
        for step in self.name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def is_asked(self, given: JsonObject, fields: "Mapping[str, InputField]") -> bool:
        """Return whether it plays a part beside the other values of the input."""
        others = (
            (fields[name].of(given) or fields[name].usual, of) for name, of in self.when.items()
        )
        return all(value in of for value, of in others)

    def said(self, value: Json) -> str:
        """Write a value in the person's words."""
        if isinstance(value, list):
            return ", ".join(map(self.said, value))
        return self.words.get(value, value) if isinstance(value, str) else value_words(value)


@dataclass(frozen=True, slots=True)
class Tool:
    """One thing an agent may do.

    `parameter_labels` are catalogue keys, for parameters that have a `title`. `prepare` checks a
    call's input and gives the work to be done; it raises ToolError, in words a model can act on,
    before anything has happened. Where it `is_there` not, since the computer lacks what it works
    with, no model is told of it. `schema` makes that of the input, whole. `closed` is what a model
    has of it from which rows are kept; None where that is nothing. `ask_reason` says why the person
    is asked before a call with this input runs, "" if they are not, and raises as `prepare` does.
    """

    spec: ToolSpec
    declared: Declaration
    parameter_labels: Mapping[str, str]
    prepare: Callable[[Json], Callable[[ToolContext], Awaitable[ToolOutput]]]
    is_there: Callable[[], Awaitable[bool]] = _always
    schema: Callable[[], JsonObject] = dict
    closed: "Tool | None" = None
    ask_reason: Callable[[Json, ToolContext], Awaitable[str]] | None = None

    @property
    def needs_approval(self) -> bool:
        """Whether the person is asked before it runs; the input is prepared before that."""
        return self.declared.risk in ("write", "network")

    @property
    def words(self) -> str:
        """What a person calls it."""
        return _(self.declared.label).rstrip("…")

    def input_fields(self) -> dict[str, InputField]:
        """Return what a form of the input has, by name: labels, choices and limits are the tool's.

        Whatever else the tool checks, `prepare` does.
        """
        whole: dict[str, Any] = self.schema()
        return {each.name: each for each in _input_fields(whole, whole.get("$defs", {}))}


def _input_fields(
    whole: Mapping[str, Any], definitions: Mapping[str, Any], *, of: str = ""
) -> Iterator[InputField]:
    """Yield the fields of a schema; those of a parameter that has parts, `of` it, one by one."""
    for name, given in whole["properties"].items():
        kinds = [_followed(each, definitions) for each in given.get("anyOf", (given,))]
        kinds = [each for each in kinds if each != NULL]
        if len(kinds) == 1 and "properties" in kinds[0]:
            yield from _input_fields(kinds[0], definitions, of=f"{of}{name}.")
            continue
        every: dict[str, Any] = {key: each for kind in kinds for key, each in kind.items()} | given
        form = every.get(FORM_MARK, {})
        title = every.get("title", "")
        label = _(title) if title not in ("", _made_title(name)) else field_words(name)
        yield InputField(
            name=f"{of}{name}",
            label=label,
            choices=tuple(every.get("enum", ()) or form.get("choices", ())),
            least=every.get("minimum", every.get("exclusiveMinimum")),
            most=every.get("maximum"),
            length=every.get("maxLength", 0),
            is_required=name in whole.get("required", ()),
            kinds=frozenset(each["type"] for each in kinds if "type" in each),
            takes=form.get("takes", ""),
            words={key: _(each) for key, each in (form.get("words") or {}).items()},
            usual=form.get("usual") if form.get("usual") is not None else every.get("default"),
            nothing=_(form["nothing"]) if form.get("nothing") else "",
            when=form.get("when") or {},
            is_above="exclusiveMinimum" in every,
        )


def _followed(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    return schema if reference is None else definitions[reference.rpartition("/")[2]]


def _made_title(name: str) -> str:
    """Return the title that pydantic makes of a name."""
    return name.replace("_", " ").title()


def tool(
    *,
    label: str,
    category: Category,
    risk: Risk,
    agents: tuple[str, ...] | None = None,
    consent: str = gettext_noop("Allow"),
    code: str = "",
    gives: Gives = "rows",
    opened_by: str = "",
    cue: str = "",
    ask_reason: AskReason | None = None,
    name: str = "",
) -> Callable[[AnyMethod], AnyMethod]:
    """Make a method a tool: its name, docstring and typed keyword-only parameters define it.

    The method takes a `ToolContext` first. Descriptions of parameters, and what a person reads of
    them before a tool runs, come from `Annotated[…, pydantic.Field(description=…, title=…)]`.
    Nothing else lists tools: see `Declaration` for the rest.
    """

    def declare(method: AnyMethod) -> AnyMethod:
        declared = Declaration(
            label, category, risk, agents, consent, code, gives, opened_by, cue, ask_reason, name
        )
        cast("Any", method).declared_tool = declared
        return method

    return declare


def tools_of(*toolboxes: object) -> dict[str, Tool]:
    """Return every tool of these toolboxes by its name, in order of declaration.

    A toolbox whose tools may be missing, since this computer or the store lacks what they work
    with, has an asynchronous method `is_there`.
    """
    found: dict[str, Tool] = {}
    for toolbox in toolboxes:
        is_there: Callable[[], Awaitable[bool]] = getattr(toolbox, "is_there", _always)
        for name, function in vars(type(toolbox)).items():
            declared = getattr(function, "declared_tool", None)
            if declared is not None:
                found[name] = _bind(toolbox, getattr(toolbox, name), declared, is_there)
    return found


def _bind(
    toolbox: object, method: Method, declared: Declaration, is_there: Callable[[], Awaitable[bool]]
) -> Tool:
    # Most runs use few of the tools, and no model is told of any where the answer is offline.
    input_model = cache(lambda: _input_model(method))
    schema = cache(lambda: cast("JsonObject", input_model().model_json_schema()))

    def checked(given: Json) -> dict[str, Any]:
        model = input_model()
        try:
            arguments = model.model_validate(given)
        except pydantic.ValidationError as error:
            field = ".".join(str(step) for step in error.errors()[0]["loc"][:1])
            raise InputError(complaint(error), field=field) from error
        return {name: getattr(arguments, name) for name in model.model_fields}

    def prepare(given: Json) -> Callable[[ToolContext], Awaitable[ToolOutput]]:
        named = checked(given)

        async def run(context: ToolContext) -> ToolOutput:
            return _with_warnings(await method(context, **named))

        return run

    async def ask_reason(given: Json, context: ToolContext) -> str:
        asks = declared.ask_reason
        return "" if asks is None else await asks(toolbox, context, **checked(given))

    spec = ToolSpec(
        name=method.__name__,
        description=" ".join((method.__doc__ or "").split()),
        given=lambda: lean(schema()),
        gives=declared.gives,
        opened_by=declared.opened_by,
        cue=declared.cue,
    )
    labels = {
        name: each.title
        for name, hint in inspect.get_annotations(method, eval_str=True).items()
        for each in getattr(hint, "__metadata__", ())
        if getattr(each, "title", None)
    }
    asks = None if declared.ask_reason is None else ask_reason
    return Tool(spec, declared, labels, prepare, is_there, schema, ask_reason=asks)


def _with_warnings(output: ToolOutput) -> ToolOutput:
    """Tell the model what is to be known of the numbers' source, whichever tool gave them."""
    if output.source is None or not output.source.warnings or not isinstance(output.content, dict):
        return output
    told = output.content.get("avisos")
    warnings = [*(told if isinstance(told, list) else []), *output.source.warnings]
    return replace(output, content={**output.content, "avisos": cast("Json", warnings)})


def _input_model(method: Method) -> type[pydantic.BaseModel]:
    hints = inspect.get_annotations(method, eval_str=True)
    parameters = [
        each
        for each in inspect.signature(method).parameters.values()
        if each.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    given: dict[str, Any] = {
        each.name: (hints[each.name], ... if each.default is each.empty else each.default)
        for each in parameters
    }
    return pydantic.create_model(
        method.__name__, __config__=pydantic.ConfigDict(extra="forbid"), **given
    )


def complaint(error: pydantic.ValidationError) -> str:
    """List every fault with its place, in words a model can act on."""
    faults = []
    # The tools speak Portuguese to the model, pydantic English only.
    for fault in error.errors(include_url=False):
        place = ".".join(str(step) for step in fault["loc"]) or "entrada"
        said = _COMPLAINTS.get(fault["type"])
        values = fault.get("ctx", {})
        if "expected" in values:  # pydantic joins a list of choices in English
            values["expected"] = " ou ".join(values["expected"].rsplit(" or ", 1))
        faults.append(f"{place}: {said.format(**values) if said else fault['msg']}")
    return "Entrada inválida. " + "; ".join(faults)


# Tools speak Portuguese to the model, pydantic English: these are the faults that models make. The
# values in braces are pydantic's own (https://docs.pydantic.dev/latest/errors/validation_errors/).
_COMPLAINTS = {
    "missing": "falta",
    "extra_forbidden": "não existe nesta ferramenta",
    "literal_error": "tem de ser {expected}",
    "string_type": "tem de ser texto",
    "string_too_short": "tem de ter pelo menos {min_length} caracteres",
    "string_too_long": "tem de ter no máximo {max_length} caracteres",
    "int_type": "tem de ser um número inteiro",
    "int_parsing": "tem de ser um número inteiro",
    "int_from_float": "tem de ser um número inteiro",
    "float_type": "tem de ser um número",
    "float_parsing": "tem de ser um número",
    "greater_than_equal": "tem de ser pelo menos {ge}",
    "less_than_equal": "tem de ser no máximo {le}",
    "list_type": "tem de ser uma lista",
    "dict_type": "tem de ser um objeto",
    "model_type": "tem de ser um objeto",
    "too_short": "tem de ter pelo menos {min_length} elementos",
    "too_long": "tem de ter no máximo {max_length} elementos",
    "date_from_datetime_parsing": "tem de ser uma data AAAA-MM-DD",
    "date_from_datetime_inexact": "tem de ser uma data AAAA-MM-DD",
    "date_parsing": "tem de ser uma data AAAA-MM-DD",
    "date_type": "tem de ser uma data AAAA-MM-DD",
}


# What pydantic writes into a schema, and costs a model more to read with every request than it
# tells: a call is checked against all of it all the same, and a fault is answered in words. What a
# model should know of a default or a limit stands in the description.
SQL_MARK = "sql"  # in a schema: the parameter takes a "select", "selects" by name, a "condition"
_NOT_TOLD = {
    SQL_MARK,
    FORM_MARK,
    "title",
    "default",
    "additionalProperties",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
}


def lean(schema: JsonObject) -> JsonObject:
    """Write pydantic's schema as briefly as a model understands it."""
    whole: dict[str, Any] = schema
    return cast("JsonObject", _brief(whole, whole.get("$defs", {})))


def _brief(schema: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        named = {**definitions[reference.rpartition("/")[2]]}
        named.pop("description", None)  # a docstring, for whoever reads the code
        schema = named | {key: each for key, each in schema.items() if key != "$ref"}
    brief: dict[str, Any] = {}
    for key, value in schema.items():
        match key, value:
            case "properties", dict():
                brief[key] = {name: _brief(each, definitions) for name, each in value.items()}
            case "anyOf", list():
                # That a value may be left out is told by `required`; that it may be null then, not.
                is_optional = "default" in schema
                kinds = [_brief(each, definitions) for each in value]
                brief |= _choice([each for each in kinds if not (is_optional and each == NULL)])
            case "items" | "additionalProperties", dict():
                brief[key] = _brief(value, definitions)
            case "$defs", _:
                pass
            case "type", "string" if "enum" in schema or "format" in schema:
                pass  # told by these
            case name, _ if name not in _NOT_TOLD:
                brief[key] = value
    return brief


NULL = {"type": "null"}


def _choice(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    """Write one of several schemas; of plain types as the list of their names."""
    if len(kinds) == 1:
        return kinds[0]
    if any(each.keys() != {"type"} for each in kinds):
        return {"anyOf": kinds}
    names = [each["type"] for each in kinds]
    return {"type": [name for name in names if not (name == "integer" and "number" in names)]}
