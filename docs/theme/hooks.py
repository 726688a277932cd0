"""What the documentation site needs beyond its pages, run by MkDocs.

Pages stay plain Markdown that also reads well in the repository. On the way to the site, blocks
marked ``math`` become MathML, which browsers show without any script; links to the schemas lead
to copies of them; links to other files of the repository become their names.
"""

import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
SCHEMAS = "src/geopar/files/schemas"
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Teach Markdown the blocks marked ``math``; list only pages that are there."""
    config.nav = _present(config.nav, Path(config.docs_dir))
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [{"name": "math", "class": "math", "format": _equation}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take the schemas of the files along."""
    for path in sorted((ROOT / SCHEMAS).glob("*.json")):
        files.append(File.generated(config, f"schemas/{path.name}", content=path.read_text()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Mend links that leave the folder of the documentation."""
    return _OUTSIDE.sub(_inside, markdown)


def _present(nav: Any, folder: Path) -> Any:
    """The navigation without pages that are not written yet."""
    if isinstance(nav, list):
        return [entry for entry in (_present(entry, folder) for entry in nav) if entry]
    if isinstance(nav, dict):
        kept = {title: _present(entry, folder) for title, entry in nav.items()}
        return {title: entry for title, entry in kept.items() if entry}
    return nav if (folder / nav).exists() else None


def _inside(link: re.Match[str]) -> str:
    text, path = link.groups()
    if path.startswith(f"{SCHEMAS}/"):
        return f"[{text}]({path.replace(SCHEMAS, 'schemas')})"
    return text if text.strip("`") == path else f"{text} (`{path}`)"


def _equation(source: str, *_: Any, **__: Any) -> str:
    return f'<div class="equation">{convert(source, display="block")}</div>'
