"""Weights on disk: safetensors, and a card that says what they are. Never pickle.

``NAME.safetensors`` holds the tensors and ``NAME.json`` the card. Those that come with the package
are named ``PROBLEM-LEARNER`` after whose network they are, such as ``hcvrp-pointer``; those of the
same network that were trained otherwise have one more word, such as ``hcvrp-pointer-small``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from geopar.__about__ import __version__
from geopar.errors import Faults, refuse
from geopar.files.storage import write_files
from geopar.settings import read_settings

if TYPE_CHECKING:
    from geopar.neural.network import Network

# Raised whenever older weights no longer mean the same: features, names, shapes.
FORMAT = 5
FOLDER = Path(__file__).parent.parent / "weights"
# Too heavy for the package: in a clone they lie beside its sources.
PEERS_FOLDER = Path(__file__).parents[3] / "peer-weights"
# A folder of the user's own weights, searched before the package's.
FOLDER_VARIABLE = "GEOPAR_WEIGHTS_FOLDER"
# Instead of a name: a network that has learned nothing.
RANDOM = "random"
CARD_LIMIT = 1_000_000
# A card may not ask for a network of any size: beyond this a file is refused before it is read.
MOST_WEIGHT_BYTES = 2_000_000_000
AGAIN = "Get the weights again."


@dataclass(frozen=True)
class Card:
    """What is known of a file of weights.

    Parameters
    ----------
    problem, name
        What they are for and what they are called.
    learner
        Whose network it is: ``geopar``, ``pointer``, or a learned peer by its name.
    architecture, decoding
        The settings of the network, and how its scores become plans; whoever builds the network
        knows what they may hold.
    sha256
        Of the file of tensors.
    training
        How they came about: recipe, hours, data seen.
    validation
        Numbers by setting.
    version
        Of geopar when they were saved.
    format
        Of the file and of what the network is told.
    """

    problem: str
    name: str
    learner: str
    architecture: dict[str, Any]
    decoding: dict[str, Any]
    sha256: str
    training: dict[str, Any] = field(default_factory=dict)
    validation: dict[str, Any] = field(default_factory=dict)
    version: str = __version__
    format: int = FORMAT


def save_weights(
    path: Path | str,
    network: Network,
    training: Mapping[str, Any] | None = None,
    validation: Mapping[str, Any] | None = None,
    half: bool = False,
) -> Card:
    """Write ``path`` (ending in .safetensors) and its card, each whole or not at all.

    The card takes ``network.decoding`` along, so that whoever loads them decodes the same way.
    ``half`` stores float16: a quarter of a percent of precision for half the size.
    """
    path = Path(path)
    dtype = torch.float16 if half else torch.float32
    tensors = {n: t.detach().cpu().to(dtype).contiguous() for n, t in network.state_dict().items()}
    data = safetensors.torch.save(tensors)
    card = Card(
        problem=network.config.kind,
        name=path.stem,
        learner=network.learner,
        architecture=network.config.to_json(),
        decoding=network.decoding.to_json(),
        sha256=hashlib.sha256(data).hexdigest(),
        training=dict(training or {}),
        validation=dict(validation or {}),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    # The card names the tensors' hash, so a crash between the two leaves an error, not a mix.
    write_files({path: data, path.with_suffix(".json"): card_text(card)})
    return card


def card_text(card: Card) -> bytes:
    """A card as its file holds it."""
    text = json.dumps(asdict(card), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def folders() -> list[Path]:
    """Where weights are looked for by name; those of the peers only a clone has."""
    own = os.environ.get(FOLDER_VARIABLE)
    known = [Path(own), FOLDER] if own else [FOLDER]
    return [*known, PEERS_FOLDER] if PEERS_FOLDER.is_dir() else known


def installed(kind: str | None = None) -> dict[str, Card]:
    """The cards of all weights that can be named, the user's before the package's."""
    found: dict[str, Card] = {}
    for folder in folders():
        for path in sorted(folder.glob("*.safetensors")):
            if path.stem not in found:
                found[path.stem] = read_card(path)
    return {name: card for name, card in found.items() if kind in (None, card.problem)}


def find_weights(kind: str, name: str, hint: str = "") -> Path:
    """The file of a name, ``hcvrp-pointer`` or just ``pointer``, or of a path.

    ``hint`` says how to get weights of this name, should there be none.
    """
    if name.endswith(".safetensors") or os.sep in name:
        path = Path(name)
        if not path.is_file():
            refuse("no-weights", "weights", name, "is no file.", "Maybe see `geopar weights`.")
        return path
    stems = (name, f"{kind}-{name}")
    paths = [folder / f"{stem}.safetensors" for folder in folders() for stem in stems]
    found = [path for path in paths if path.is_file()]
    if not found:
        known = sorted({p.stem for f in folders() for p in f.glob(f"{kind}-*.safetensors")})
        others = f"Installed: {', '.join(known)}." if known else "Train some: `geopar train`."
        refuse("no-weights", "weights", name, f"are not installed for {kind}.", hint or others)
    return found[0]


def read_card(path: Path) -> Card:
    """The card beside a file of weights.

    Raises
    ------
    geopar.errors.InputError
        When it is missing, damaged or of another version.
    """
    card_path = path.with_suffix(".json")
    try:
        if card_path.stat().st_size > CARD_LIMIT:
            raise ValueError("too large")
        values: Any = json.loads(card_path.read_text(encoding="utf-8"))
    except OSError:
        refuse("no-card", str(card_path), ..., "cannot be read.", AGAIN)
    except (ValueError, RecursionError):
        refuse("damaged-weights", str(card_path), ..., "is no card of weights.", AGAIN)
    if isinstance(values, dict) and values.get("format") != FORMAT:
        message = f"is not {FORMAT}, which this geopar ({__version__}) reads."
        hint = f"They were saved by geopar {values.get('version', 'of an unknown version')}."
        refuse("wrong-version", f"{card_path.name} format", values.get("format"), message, hint)
    return read_settings(Card, values, "card", prefix=f"{card_path.name} ")


def fitting_card(path: Path, kind: str, learner: str) -> Card:
    """The card beside a file, when it is for this problem and network."""
    card, faults = read_card(path), Faults()
    hint = "Maybe see `geopar weights`."
    if card.problem != kind or card.architecture.get("kind") != kind:
        message = f"are for {card.problem}, not for {kind}."
        faults.add("wrong-problem", "weights", path.name, message, hint)
    if card.learner != learner:
        message = f"belong to {card.learner}, not to {learner}."
        faults.add("other-network", "weights", path.name, message, hint)
    faults.raise_if_any()
    return card


def fill(network: Network, path: Path, card: Card) -> None:
    """Give a network the tensors of a file; all that does not fit is told.

    Raises
    ------
    geopar.errors.InputError
        When the file is damaged, or of another network.
    """
    faults, tensors = Faults(), read_tensors(path, card)
    own = network.state_dict()
    for key in sorted(own.keys() - tensors.keys()):
        faults.add("missing-tensor", path.name, key, "is missing.", AGAIN)
    for key in sorted(tensors.keys() - own.keys()):
        faults.add("unknown-tensor", path.name, key, "has no place in the network.", AGAIN)
    for key in sorted(own.keys() & tensors.keys()):
        if own[key].shape != tensors[key].shape:
            shapes = f"{tuple(tensors[key].shape)}, not {tuple(own[key].shape)}"
            faults.add("wrong-shape", path.name, key, f"has the shape {shapes}.", AGAIN)
        elif not bool(torch.isfinite(tensors[key]).all()):
            faults.add("not-finite", path.name, key, "holds numbers that are not finite.", AGAIN)
    faults.raise_if_any()
    network.load_state_dict({n: t.float() for n, t in tensors.items()}, strict=True)


def read_tensors(path: Path, card: Card) -> dict[str, Tensor]:
    """The tensors of a file, which must be the one that its card speaks of."""
    if path.stat().st_size > MOST_WEIGHT_BYTES:
        refuse("damaged-weights", path.name, ..., "is larger than any weights.", AGAIN)
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != card.sha256:
        refuse("damaged-weights", path.name, ..., "is not the file its card speaks of.", AGAIN)
    try:
        return safetensors.torch.load(data)
    except (SafetensorError, ValueError, KeyError):
        refuse("damaged-weights", path.name, ..., "is not a file of tensors.", AGAIN)
