"""What the package says of itself where it is listed: README.md, without the sources beside it."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_HERE = r"(?!https?:)[^)\s]+"
_PICTURE = re.compile(rf"^!\[[^\]]*\]\({_HERE}\)\n+", re.MULTILINE)
_LINK = re.compile(rf"\[([^\]]+)\]\({_HERE}\)")
_REMARK = re.compile(r"^<!--.*-->\n", re.MULTILINE)


def outside(text: str) -> str:
    """Without pictures and links that lead to files of the repository: their words stay."""
    return _LINK.sub(r"\1", _PICTURE.sub("", _REMARK.sub("", text)))


class CustomMetadataHook(MetadataHookInterface):
    """Called by the build."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the description into the package's metadata."""
        text = outside(Path(self.root, "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
