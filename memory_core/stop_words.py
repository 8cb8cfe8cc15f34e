"""Words of English that a question is full of and that say nothing of what is asked."""

from __future__ import annotations

STOP_WORDS = (
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "aren't", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "can't", "could", "did", "didn't",
    "do", "does", "doesn't", "doing", "don't", "each", "for", "from", "had", "has", "have", "having",
    "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "isn't", "it",
    "its", "just", "me", "more", "most", "my", "no", "nor", "not", "of", "on", "once", "only", "or",
    "other", "our", "ours", "out", "over", "own", "s", "same", "she", "should", "so", "some", "such",
    "t", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "wasn't", "we",
    "were", "weren't", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "won't", "would", "you", "your", "yours",
)  # fmt: skip
"""A query leaves them out while other words remain; notes are indexed with them."""
