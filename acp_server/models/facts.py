"""What is known of one model, from whoever knows it: the catalog, its server, or the configuration. Pure and light."""

from __future__ import annotations

PRICES = ("input", "output", "cached", "cache_write")
"""The kinds of tokens that have a price."""


class Facts:
    """What is known of one model; None is unknown. `price` holds dollars for a million tokens under `PRICES`."""

    __slots__ = ("context_window", "default", "fast", "id", "max_output", "name", "price", "thinks", "up_to_tokens")

    def __init__(
        self,
        id: str,
        name: str = "",
        *,
        context_window: int | None = None,
        max_output: int | None = None,
        thinks: bool = False,
        price: dict[str, float] | None = None,
        up_to_tokens: int | None = None,
        default: bool = False,
        fast: bool = False,
    ) -> None:
        self.id = id
        self.name = name or id
        self.context_window = context_window
        self.max_output = max_output
        self.thinks = thinks
        self.price = price or {}
        self.up_to_tokens = up_to_tokens
        self.default = default
        self.fast = fast
