"""The command line: `main` parses what was typed and runs it. argparse is imported here and nowhere else.

What commands there are is data (`memory_cli.COMMANDS`), so help, documentation and parser can't disagree.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn

from acp_server import __version__
from acp_server.exits import Exit
from acp_server.memory_command import Argument
from acp_server.sentences import chat as say_chat
from acp_server.sentences import cli as say
from acp_server.sentences import print as say_print
from acp_server.sentences import setup as say_setup
from acp_server.sentences import usage as say_usage
from acp_server.terminal import Output, OutputFault, complain, discard_output, standard_output

PROGRAM = "caudra-acp"


class _Misused(SystemExit):
    """The command line is not what it should be: what was wrong, and how the command is used."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(Exit.USAGE)
        self.message = message
        self.usage = " ".join(usage.split())


class _Parser(argparse.ArgumentParser):
    """A parser that says one sentence and how the command is used, and exits with `Exit.USAGE`."""

    def error(self, message: str) -> NoReturn:
        """End with what was wrong and the usage."""
        complain(f"{self.prog}: {message}\n{self.format_usage().rstrip()}")
        raise _Misused(message, self.format_usage())


def _checked(parse: Callable[[str], object]) -> Callable[[str], object]:
    """`parse` with its ValueError's own sentence as argparse's complaint."""

    def parsed(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parsed


def _common(default: str = ".") -> _Parser:
    """The options that every command takes."""
    common = _Parser(add_help=False)
    common.add_argument("--project", metavar="DIR", default=default, help=say.HELP_PROJECT)
    return common


def _add_memory(parser: _Parser) -> None:
    """The memory commands, from their table; each takes the project before or behind its name."""
    from acp_server.memory_cli import COMMANDS

    common = _common(argparse.SUPPRESS)

    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        summary = say.SUMMARIES[command.name]
        sub = commands.add_parser(command.name, parents=[common], help=summary, description=summary)
        sub.add_argument("--json", action="store_true", help=say.HELP_JSON)
        _add_arguments(sub, command.arguments)


def _add_storage(parser: _Parser) -> None:
    """The storage commands, from their table."""
    from acp_server.storage_cli import COMMANDS

    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        summary = say_usage.SUMMARIES[command.name]
        sub = commands.add_parser(command.name, help=summary, description=summary)
        sub.add_argument("--json", action="store_true", help=say.HELP_JSON)
        _add_arguments(sub, command.arguments)


def _add_arguments(parser: _Parser, arguments: Sequence[Argument]) -> None:
    for argument in arguments:
        if argument.switch:
            parser.add_argument(argument.name, action="store_true", help=argument.help)
            continue
        nargs = "+" if argument.many else "?" if argument.optional else None
        metavar = argument.metavar or argument.name.upper()
        parse = _checked(argument.parse)
        parser.add_argument(argument.name, metavar=metavar, type=parse, nargs=nargs, help=argument.help)


def _print_parser() -> _Parser:
    """The parser of a headless run: options in any order around the words."""
    alone = _Parser(prog=PROGRAM, description=say_print.ABOUT, parents=[_common()])
    alone.add_argument("-p", "--print", nargs="?", metavar="WORDS", help=say_print.HELP_PRINT)
    alone.add_argument("more", nargs="*", metavar="WORDS", help=argparse.SUPPRESS)
    alone.add_argument("-m", "--model", metavar="MODEL", help=say_print.HELP_MODEL)
    alone.add_argument("--json", action="store_true", help=say_print.HELP_JSON)
    alone.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=say_chat.ALLOWABLE,
        metavar="RULE",
        help=say_print.HELP_ALLOW,
    )
    return alone


def parser() -> _Parser:
    """The whole parser, but for what follows `--print`."""
    top = _Parser(prog=PROGRAM, description=say.ABOUT, epilog=say.SERVES)
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    top.add_argument("-p", "--print", metavar="WORDS", help=say_print.HELP_PRINT)
    rooms = top.add_subparsers(dest="room", metavar="COMMAND", required=True, parser_class=_Parser)
    common = _common()
    _add_memory(rooms.add_parser("memory", parents=[common], help=say.MEMORY, description=say.MEMORY))
    chat = rooms.add_parser("chat", parents=[common], help=say.CHAT, description=say.CHAT)
    chat.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=say_chat.ALLOWABLE,
        metavar="RULE",
        help=say.HELP_ALLOW,
    )
    chat.add_argument("-m", "--model", metavar="MODEL", help=say_setup.HELP_MODEL)
    older = chat.add_mutually_exclusive_group()
    older.add_argument("-c", "--continue", dest="newest", action="store_true", help=say_chat.HELP_CONTINUE)
    older.add_argument("--resume", metavar="ID", help=say_chat.HELP_RESUME)
    _add_storage(rooms.add_parser("storage", help=say_usage.STORAGE, description=say_usage.STORAGE))
    _add_setup(rooms.add_parser("setup", help=say_setup.SETUP, description=say_setup.SETUP))
    models = rooms.add_parser("models", help=say_setup.MODELS, description=say_setup.MODELS)
    models.add_argument("--json", action="store_true", help=say_setup.HELP_MODELS_JSON)
    models.add_argument("--live", action="store_true", help=say_setup.HELP_LIVE)
    return top


def _add_setup(setup: _Parser) -> None:
    setup.add_argument("--provider", metavar="NAME", help=say_setup.HELP_PROVIDER)
    setup.add_argument("--key-stdin", action="store_true", help=say_setup.HELP_KEY_STDIN)
    setup.add_argument("--base-url", metavar="URL", help=say_setup.HELP_BASE_URL)
    setup.add_argument("-m", "--model", metavar="MODEL", help=say_setup.HELP_SETUP_MODEL)
    setup.add_argument("--no-test", dest="test", action="store_false", help=say_setup.HELP_NO_TEST)
    setup.add_argument("--remove", action="store_true", help=say_setup.HELP_REMOVE)


def _memory(typed: argparse.Namespace, out: Output) -> Exit:
    from acp_server import memory_cli

    options = {key: value for key, value in vars(typed).items() if key not in OF_THE_TOP}
    if "query" in options:
        options["query"] = " ".join(options["query"])
    for many in {"files", "names"} & options.keys():
        options[many] = tuple(options[many])
    asked = memory_cli.Asked(**options)
    command = next(each for each in memory_cli.COMMANDS if each.name == asked.command)
    return memory_cli.run(command, asked, out)


def _chat(typed: argparse.Namespace, out: Output) -> Exit:
    from acp_server import chat
    from acp_server.chat_session import Wanted

    wanted = Wanted(newest=typed.newest, session_id=typed.resume, model=typed.model)
    return chat.run(typed.project, frozenset(typed.allow), out, wanted=wanted)


def _storage(typed: argparse.Namespace, out: Output) -> Exit:
    from acp_server import storage_cli

    options = {key: value for key, value in vars(typed).items() if key not in OF_THE_TOP and value is not None}
    return storage_cli.run(storage_cli.Asked(**options), out)


def _setup(typed: argparse.Namespace, out: Output) -> Exit:
    from acp_server import setup_cli

    options = {key: value for key, value in vars(typed).items() if key not in OF_THE_TOP}
    return setup_cli.run(setup_cli.Asked(**options), out)


def _models(typed: argparse.Namespace, out: Output) -> Exit:
    from acp_server import models_cli

    return models_cli.run(out, json=typed.json, live=typed.live)


OF_THE_TOP = frozenset({"room", "print"})
"""What was typed and belongs to no command."""

_ROOMS: dict[str, Callable[[argparse.Namespace, Output], Exit]] = {
    "memory": _memory,
    "chat": _chat,
    "storage": _storage,
    "setup": _setup,
    "models": _models,
}


def _wants_print(argv: Sequence[str]) -> bool:
    """Whether a headless run is asked for, and no room."""
    return argv[0] not in _ROOMS and any(
        word in ("-p", "--print") or word.startswith("--print=") for word in argv if word != "--"
    )


def _print(argv: Sequence[str], out: Output) -> Exit:
    typed = _print_parser().parse_args(argv)
    from acp_server import print_run

    words = [word for word in (typed.print, *typed.more) if word is not None]
    asked = print_run.Asked(
        words=" ".join(words) if words else None,
        project=typed.project,
        model=typed.model,
        json=typed.json,
        allow=frozenset(typed.allow),
    )
    return print_run.run(asked, out)


def _tell_program(misused: _Misused, argv: Sequence[str], out: Output) -> None:
    """The complaint as an object, for who asked for JSON."""
    from acp_server.memory_cli import COMMANDS
    from acp_server.memory_input import error_object
    from memory_core.exceptions import MemoryFault

    names = {command.name for command in COMMANDS}
    command = next((word for word in argv if word in names), "")
    out.json(error_object(command, MemoryFault(misused.message, misused.usage)))


def _run(argv: Sequence[str], out: Output) -> int:
    try:
        if _wants_print(argv):
            code: int = _print(argv, out)
        else:
            typed = parser().parse_args(argv)
            code = _ROOMS[typed.room](typed, out)
    except _Misused as misused:
        code = Exit.USAGE
        if "--json" in argv:
            _tell_program(misused, argv, out)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else Exit.OK
    out.flush()
    return code


def main(argv: Sequence[str]) -> int:
    """Run one command line without the program's name; the exit code as `exits.MEANINGS` lists them.

    A reader that closed the pipe early (`| head`) ends the command quietly.
    """
    out = standard_output()
    try:
        return int(_run(argv, out))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except OutputFault as fault:
        discard_output()
        if fault.closed:
            return Exit.OK
        complain(say.cannot_print(fault.reason))
        return Exit.WRONG
