"""The blocks of a prompt as the one text that a turn takes. Pure.

Text and links stand as the person wrote them, one in the other; two texts in a row and embedded files get
lines of their own. A lone surrogate, which no file and no database can hold, becomes U+FFFD; a pair becomes
its character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from acp_server.jsonclean import mended
from acp_server.providers.interface import JsonObject
from acp_server.sentences import wire as sentences

Block = TextContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock | ImageContentBlock | AudioContentBlock

MIN_FENCE = 3


def prompt_text(blocks: Sequence[Block]) -> str:
    """The prompt as one text. Blocks that were not advertised are refused before; here they count as
    nothing.
    """
    texts = [_text_of(block) for block in blocks]
    joints = [_joint(one, other) for one, other in pairwise(blocks)]
    whole = "".join(part for pair in zip(texts, [*joints, ""], strict=True) for part in pair)
    return mended(whole)


def blocks_of(blocks: Sequence[Block]) -> tuple[JsonObject, ...]:
    """The blocks as a session file keeps them, to be drawn again as they were sent."""
    return tuple(block.model_dump(by_alias=True, exclude_none=True) for block in blocks)


def _text_of(block: Block) -> str:
    match block:
        case TextContentBlock():
            return block.text
        case ResourceContentBlock():
            return sentences.linked(block.name, block.uri)
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            return sentences.embedded(resource.uri, resource.text, _fence(resource.text))
        case _:
            return ""


def _joint(one: Block, other: Block) -> str:
    kinds = {type(one), type(other)}
    inline = kinds == {TextContentBlock, ResourceContentBlock}
    return "" if inline else "\n"


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(MIN_FENCE, longest + 1)
