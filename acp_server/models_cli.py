"""`caudra-acp models`: the models that can be used now."""

from __future__ import annotations

import asyncio
import os

from acp_server.config import config_path, load_config
from acp_server.exits import Exit
from acp_server.models.facts import Facts
from acp_server.models.listing import Lister
from acp_server.models.servers import Server
from acp_server.models.shelf import Look, Offer, Plan, Shelf
from acp_server.models.urls import redacted
from acp_server.places import config_directory_of
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import setup as say
from acp_server.terminal import Output, complain

VERSION = 1


def run(out: Output, *, json: bool, live: bool) -> Exit:
    """List them; `live` asks the servers first. What is wrong with the configuration goes to standard error."""
    environ = os.environ
    shelf = Shelf(environ, config_directory_of(environ))
    if live:
        asyncio.run(Lister(shelf).refresh())
    for problem in _problems(shelf):
        complain(problem)
    look = shelf.look()
    if json:
        out.json(_object(look))
        return Exit.OK
    _show(look, out)
    return Exit.OK


def _problems(shelf: Shelf) -> list[str]:
    """What is wrong with the configuration, with the stored keys and with the binding, a sentence each."""
    look = shelf.look()
    choice = look.choice()
    found = [*load_config(config_path(shelf.environ))[1], *look.problems(), choice.missing_key]
    return [sentence for sentence in found if sentence]


def _show(look: Look, out: Output) -> None:
    group = ""
    for offer in look.offers():
        if offer.group != group:
            group = offer.group
            out.empty_line()
            out.write(_heading(look, offer) + "\n")
        out.write(f"  {offer.value}  {offer.description}\n")
    choice = look.choice()
    out.empty_line()
    told = "" if choice.notice == " ".join(look.problems()) else choice.notice
    out.write(f"{told or say.default_is(choice.model)}\n")


def _heading(look: Look, offer: Offer) -> str:
    plan = None if offer.value in look.own else look.plan(offer.value)
    if not isinstance(plan, Plan):
        return offer.group_title
    server = plan.server
    variable = next((name for name in server.keys if look.environ.get(name)), "")
    return say.from_server(server.title, server.key_from, variable, _own_address(server))


def _own_address(server: Server) -> str:
    return "" if server.official else redacted(server.base_url)


def _object(look: Look) -> JsonObject:
    rows: list[JsonValue] = [_row(look, offer) for offer in look.offers()]
    return {"type": "models", "version": VERSION, "default": look.choice().model, "models": rows}


def _row(look: Look, offer: Offer) -> JsonObject:
    row: JsonObject = {"value": offer.value, "name": offer.name, "provider": offer.group}
    plan = None if offer.value in look.own else look.plan(offer.value)
    if not isinstance(plan, Plan):
        return row
    server = plan.server
    return {
        **row,
        "key_from": server.key_from or None,
        "base_url": redacted(server.base_url),
        "wire": server.wire,
        **_facts(plan.facts),
    }


def _facts(facts: Facts) -> JsonObject:
    return {
        "context_window": facts.context_window,
        "max_output": facts.max_output,
        "thinks": facts.thinks,
        "price": dict(facts.price) or None,
        "price_up_to_tokens": facts.up_to_tokens,
    }
