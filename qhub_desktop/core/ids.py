"""Ids of ours, of a conversation and of a message: two types, so that neither is taken for another.

The ids that a service gives are plain text, and nothing is found by them.
"""

from typing import NewType

ConversationId = NewType("ConversationId", str)  # 12 hex characters
MessageId = NewType("MessageId", int)

NO_CONVERSATION = ConversationId("")
_UNSTARTED = "new/"


def unstarted(agent: str) -> ConversationId:
    """Return what stands for a conversation with an agent that is not stored yet."""
    return ConversationId(f"{_UNSTARTED}{agent}")


def agent_of_unstarted(conversation: ConversationId) -> str:
    """Return whom a conversation that is not stored yet would be held with; else an empty text."""
    return conversation.removeprefix(_UNSTARTED) if conversation.startswith(_UNSTARTED) else ""
