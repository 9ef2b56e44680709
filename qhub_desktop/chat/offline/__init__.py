"""The embedded engine: question -> plan -> tool calls -> sentences, without a model."""

from qhub_desktop.chat.offline.engine import Offline

__all__ = ["Offline"]
