"""What the documentation site needs beyond its pages, run by MkDocs.

Pages stay plain Markdown that also reads well in the repository. On the way to the site, blocks
marked ``math`` become MathML, which browsers show without any script; links to the schemas lead
to copies of them; links to other files of the repository become their names; the roles and marks of
reStructuredText leave what is made from docstrings.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
SCHEMAS = "src/geopar/files/schemas"
_ROLE = re.compile(r":(?:class|func|mod|meth|data|attr):(?=<code>)")
_UPWARDS = re.compile(r"\[([^\]]+)\]\((\.\./[^)]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Teach Markdown the blocks marked ``math``."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [{"name": "math", "class": "math", "format": _equation}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take the schemas of the files along."""
    for path in sorted((ROOT / SCHEMAS).glob("*.json")):
        files.append(File.generated(config, f"schemas/{path.name}", content=path.read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Mend links that leave the folder of the documentation."""
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def inside(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            return link[0]
        if path.startswith(f"{SCHEMAS}/"):
            copied = path.replace(SCHEMAS, "docs/schemas")
            return f"[{text}]({posixpath.relpath(copied, folder)})"
        return text if text.strip("`") == path else f"{text} (`{path}`)"

    return _UPWARDS.sub(inside, markdown)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """What docstrings have of reStructuredText is not for Markdown."""
    if not page.file.src_uri.startswith("reference/"):
        return html
    return _ROLE.sub("", html).replace("::</p>", ":</p>")


def _equation(source: str, *_: Any, **__: Any) -> str:
    return f'<div class="equation">{convert(source, display="block")}</div>'
