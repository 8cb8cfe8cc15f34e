"""A plain model of the memory, in lists and dictionaries, written from the rules and not from the library.

It keeps every entry, every line and the whole view in memory, and does everything the slow way: due pairs are found
by looking at all of them, exact fractions are `Fraction`s, a forget rebuilds what it must from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

Address = tuple[int, int]


@dataclass
class Version:
    kind: str
    name: str
    text: str


@dataclass
class PlainModel:
    """What journal, files and view must be. Texts hold neither front matter nor odd characters: other tests do."""

    budget: int
    versions: list[Version] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    written: dict[Address, str] = field(default_factory=dict)
    view: list[Address] = field(default_factory=list)

    def append(self, kind: str, name: str, text: str = "") -> None:
        self.versions.append(Version(kind, name, text))
        if kind == "note":
            self.files[name] = text
        else:
            self.files.pop(name, None)
        self.view.append((len(self.versions) - 1, 1))
        self.settle()

    def store(self, address: Address, text: str) -> None:
        self.written[address] = text
        self.settle()

    def forget(self, name: str) -> None:
        numbers = [n for n, version in enumerate(self.versions) if version.name == name and version.kind == "note"]
        pure = {address for address in self.all_addresses() if self.is_pure(address)}
        for number in numbers:
            self.versions[number] = Version("forgotten", name, "")
        self.files.pop(name, None)
        first = numbers[0]
        holds = {(start, n) for start, n in pure if any(start <= number < start + n for number in numbers)}
        self.written = {(start, n): text for (start, n), text in self.written.items() if start + n <= first}
        self.view = [part for line in self.view for part in self.split(line, first, pure - holds)]
        self.settle()

    def clear(self) -> None:
        self.versions.clear()
        self.files.clear()
        self.written.clear()
        self.view.clear()

    def split(self, address: Address, first: int, standing: set[Address]) -> list[Address]:
        """A line of the view that was dropped, as the parts that stand."""
        start, n = address
        if n == 1 or start + n <= first or address in standing:
            return [address]
        half = n // 2
        return [*self.split((start, half), first, standing), *self.split((start + half, half), first, standing)]

    def settle(self) -> None:
        while self.size() > self.budget:
            pairs = self.pairs()
            if not pairs:
                return
            start, n = pairs[0]
            if self.line((start, 2 * n)) is None:
                return
            at = self.view.index((start, n))
            self.view[at : at + 2] = [(start, 2 * n)]

    def pairs(self) -> list[Address]:
        """The left lines of sibling pairs in the view, most due first."""
        found = [
            left
            for left, right in zip(self.view, self.view[1:], strict=False)
            if left[1] == right[1] and left[0] % (2 * left[1]) == 0
        ]
        total = len(self.versions)
        return sorted(found, key=lambda one: (-Fraction(total + 1 - (one[0] + 2 * one[1]), one[1]), one[0]))

    def line(self, address: Address) -> str | None:
        """The line's text, or None while it waits."""
        start, n = address
        if n == 1:
            whole = self.entry_text(start)
            return whole if len(whole.encode()) <= 512 else self.written.get(address)
        joined = self.joined(address)
        return joined if joined is not None else self.written.get(address)

    def joined(self, address: Address) -> str | None:
        start, n = address
        left, right = self.line((start, n // 2)), self.line((start + n // 2, n // 2))
        if left is None or right is None:
            return None
        text = f"{left}\n{right}"
        return text if len(text.encode()) <= 512 else None

    def entry_text(self, number: int) -> str:
        version = self.versions[number]
        if version.kind == "note":
            return f"note {version.name}\n{version.text}".rstrip()
        return f"{version.kind} {version.name}"

    def is_pure(self, address: Address) -> bool:
        start, n = address
        if n == 1:
            return len(self.entry_text(start).encode()) <= 512
        halves = (start, n // 2), (start + n // 2, n // 2)
        return all(map(self.is_pure, halves)) and self.joined(address) is not None

    def all_addresses(self) -> list[Address]:
        total = len(self.versions)
        sizes = [1 << power for power in range(total.bit_length())]
        return [(start, n) for n in sizes for start in range(0, total - n + 1, n)]

    def waiting(self) -> set[Address]:
        """Lines that could be written now."""
        found = set()
        for start, n in self.all_addresses():
            if self.line((start, n)) is not None:
                continue
            if n == 1 or all(self.line(half) is not None for half in ((start, n // 2), (start + n // 2, n // 2))):
                found.add((start, n))
        return found

    def rendered(self, address: Address) -> str:
        start, n = address
        text = self.line(address)
        if text is None:
            version = self.versions[start]
            title = next((row.strip().lstrip("#").strip() for row in version.text.split("\n") if row.strip(" #")), "")
            text = f"(not summarized yet) note {version.name}" + (f": {title[:120]}" if title else "")
        return f"{start}+{n}|{text.replace(chr(10), ' ')}"

    def size(self) -> int:
        return sum(len(self.rendered(address).encode()) + 1 for address in self.view)
