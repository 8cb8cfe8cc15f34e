"""A history in the form that every wire accepts. Pure, and linear in the history.

1. The person's side and the model's alternate; the person's begins and ends.
2. The person's side gives the results of the calls before it first, one for each call and in their order, then text.
3. No text is blank and no turn is empty; thinking alone is no turn.
4. An id of a call occurs once and has the form that the wire takes; so has the name of its tool.
5. The model's own blocks stand only where wire and model are the same and say just what the turn says: where a text was
   blanked or a call was renamed since, the turn goes back as text and calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from acp_server.providers.interface import AssistantItem, Item, JsonObject, Native, Request, ToolCall, ToolItem
from acp_server.providers.wires.arguments import as_object
from acp_server.providers.wires.ids import LegalId, legal_name
from acp_server.sentences import wires as say

Blocks = tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class UserTurn:
    """Results of the calls before it, then what the person said."""

    results: tuple[ToolItem, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What the model said, and its own blocks where they may go back."""

    text: str
    calls: tuple[ToolCall, ...]
    native: Blocks = ()


Turn = UserTurn | ModelTurn


@dataclass(frozen=True, slots=True)
class Form:
    """What normal form depends on: whose blocks may go back, how they are read, how ids look."""

    wire: str
    model: str
    legal_id: LegalId
    said: Callable[[Blocks], tuple[str, tuple[ToolCall, ...]]]

    def own(self, native: Native | None) -> Blocks:
        """The blocks where they come from this wire and model."""
        return native.blocks if native and (native.wire, native.model) == (self.wire, self.model) else ()


def turns(request: Request, form: Form) -> list[Turn]:
    """The request's history in normal form."""
    building = _Building(form)
    for item in request.items:
        building.take(item)
    return building.end()


class _Building:
    def __init__(self, form: Form) -> None:
        self._form = form
        self._turns: list[Turn] = []
        self._texts: list[str] = []
        self._results: dict[str, ToolItem] = {}
        self._awaited: dict[str, str] = {}
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}

    def take(self, item: Item) -> None:
        if isinstance(item, AssistantItem):
            self._model(item)
        elif isinstance(item, ToolItem):
            self._result(item)
        elif item.text.strip():
            self._texts.append(item.text)

    def end(self) -> list[Turn]:
        self._close()
        if not self._turns or isinstance(self._turns[0], ModelTurn):
            self._turns.insert(0, UserTurn((), say.BEGINNING))
        if isinstance(self._turns[-1], ModelTurn):
            self._turns.append(UserTurn((), say.GO_ON))
        return self._turns

    def _model(self, item: AssistantItem) -> None:
        text = item.text if item.text.strip() else ""
        if not (text or item.calls):
            return
        self._close()
        own = self._form.own(item.native)
        calls = tuple(self._legal(call, own=bool(own)) for call in item.calls)
        self._awaited = {old.id: new.id for old, new in zip(item.calls, calls, strict=True)}
        native = own if own and calls == item.calls and _agrees(self._form.said(own), item) else ()
        self._append(ModelTurn(text, calls, native))

    def _append(self, turn: ModelTurn) -> None:
        last = self._turns[-1] if self._turns else None
        if isinstance(last, ModelTurn):
            text = "\n\n".join(filter(None, (last.text, turn.text)))
            self._turns[-1] = ModelTurn(text, turn.calls)
        else:
            self._turns.append(turn)

    def _result(self, item: ToolItem) -> None:
        text = item.text if item.text.strip() else say.EMPTY_RESULT
        call_id = self._awaited.get(item.call_id)
        if call_id is None:
            self._texts.append(say.late_result(item.name, text))
        else:
            self._results.setdefault(call_id, replace(item, call_id=call_id, text=text))

    def _close(self) -> None:
        """End the person's side: every call of the turn before it has a result."""
        last = self._turns[-1] if self._turns else None
        calls = last.calls if isinstance(last, ModelTurn) else ()
        results = tuple(
            self._results.get(call.id) or ToolItem(call.id, call.name, say.NO_RESULT, failed=True) for call in calls
        )
        if results or self._texts:
            self._turns.append(UserTurn(results, "\n\n".join(self._texts)))
        self._texts, self._results, self._awaited = [], {}, {}

    def _legal(self, call: ToolCall, *, own: bool) -> ToolCall:
        wanted = call.id if own and call.id else self._form.legal_id(call.id)
        chosen = wanted
        while chosen in self._used:
            self._repeats[wanted] = number = self._repeats.get(wanted, 1) + 1
            chosen = self._form.legal_id(f"{wanted}-{number}")
        self._used.add(chosen)
        return replace(call, id=chosen, name=legal_name(call.name))


def _agrees(said: tuple[str, tuple[ToolCall, ...]], item: AssistantItem) -> bool:
    """Whether the blocks say what the item says, spaces and the order of calls apart."""
    text, calls = said
    return _letters(text) == _letters(item.text) and _asked(calls) == _asked(item.calls)


def _letters(text: str) -> str:
    return "".join(text.split())


def _asked(calls: Sequence[ToolCall]) -> dict[str, tuple[str, JsonObject]]:
    return {call.id: (call.name, as_object(call.arguments)) for call in calls}
