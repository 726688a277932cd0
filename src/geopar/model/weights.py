"""Weights on disk: safetensors, and a card that says what they are. Never pickle.

``NAME.safetensors`` holds the tensors and ``NAME.json`` the card. Those that come with the package
are named ``PROBLEM-KIND``, such as ``hcvrp-default`` (the best there is) and ``hcvrp-small`` (which
saw at most 100 tasks).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from geopar.__about__ import __version__
from geopar.errors import Faults
from geopar.model.configuration import Decoding, ModelConfig, local_config
from geopar.model.policy import Policy
from geopar.problems.setting import Kind

# Raised whenever older weights no longer mean the same: features, names, shapes.
FORMAT = 4
FOLDER = Path(__file__).parent.parent / "weights"
# Too heavy for the package: in a clone they lie beside its sources.
PEERS_FOLDER = Path(__file__).parents[3] / "peer-weights"
# Where to look first, in order; "random" must be asked for.
PREFERENCE = ("default", "small")
RANDOM = "random"
OURS = Policy.learner
# A folder of the user's own weights, searched before the package's.
FOLDER_VARIABLE = "GEOPAR_WEIGHTS_FOLDER"
CARD_LIMIT = 1_000_000


class Architecture(Protocol):
    """The settings of a network: ours, or a learned peer's."""

    @property
    def kind(self) -> Kind:
        """The problem that it is for."""

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""


class Network(Protocol):
    """What can be saved: our policy, or a learned peer."""

    @property
    def learner(self) -> str:
        """Whose network it is."""

    @property
    def config(self) -> Architecture:
        """Its settings."""

    @property
    def decoding(self) -> Decoding:
        """How its scores become plans."""

    def state_dict(self) -> dict[str, Any]:
        """Its tensors."""

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        """Take tensors over."""


@dataclass(frozen=True)
class Card:
    """What is known of a file of weights.

    Parameters
    ----------
    problem, name
        What they are for and what they are called.
    architecture
        The network that they belong to.
    decoding
        How its scores become plans, when nobody says otherwise.
    training
        How they came about: command, hours, data seen.
    validation
        Numbers by setting.
    version
        Of geopar when they were saved.
    sha256
        Of the file of tensors.
    format
        Of the file and of what the network is told.
    learner
        Whose network it is: ours, or a learned peer by its name.
    """

    problem: str
    name: str
    architecture: Architecture
    decoding: Decoding
    training: dict[str, Any] = field(default_factory=dict)
    validation: dict[str, Any] = field(default_factory=dict)
    version: str = __version__
    sha256: str = ""
    format: int = FORMAT
    learner: str = OURS

    def to_json(self) -> dict[str, Any]:
        """As the card file holds it."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values["architecture"] = self.architecture.to_json()
        values["decoding"] = self.decoding.to_json()
        return values


def save_weights(
    path: Path | str,
    policy: Network,
    training: Mapping[str, Any] | None = None,
    validation: Mapping[str, Any] | None = None,
    half: bool = False,
) -> Card:
    """Write ``path`` (ending in .safetensors) and its card, each whole or not at all.

    The card takes ``policy.decoding`` along, so that whoever loads them decodes the same way.
    ``half`` stores float16: a quarter of a percent of precision for half the size.
    """
    path = Path(path)
    dtype = torch.float16 if half else torch.float32
    tensors = {n: t.detach().cpu().to(dtype).contiguous() for n, t in policy.state_dict().items()}
    data = safetensors.torch.save(tensors)
    card = Card(
        problem=policy.config.kind,
        name=path.stem,
        architecture=policy.config,
        decoding=policy.decoding,
        training=dict(training or {}),
        validation=dict(validation or {}),
        sha256=hashlib.sha256(data).hexdigest(),
        learner=policy.learner,
    )
    text = json.dumps(card.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # The card names the tensors' hash, so a crash between the two leaves an error, not a mix.
    _write(path, data)
    _write(path.with_suffix(".json"), text.encode())
    return card


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, path)


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
            if path.stem in found:
                continue
            card = read_card(path)
            if kind is None or card.problem == kind:
                found[path.stem] = card
    return found


def find_weights(kind: str, name: str | None = None) -> Path:
    """The file of a name, ``hcvrp-default`` or just ``default``, or of a path.

    Without a name the best that is installed.

    Raises
    ------
    geopar.errors.InputError
        When there is none.
    """
    faults = Faults()
    if name is not None and (name.endswith(".safetensors") or os.sep in name):
        path = Path(name)
        if not path.is_file():
            faults.add("no-weights", "weights", name, "is no file.", "Maybe see `geopar weights`.")
            faults.raise_now()
        return path
    stems = [stem for short in (PREFERENCE if name is None else (name,))
             for stem in (short, f"{kind}-{short}")]  # fmt: skip
    paths = [folder / f"{stem}.safetensors" for folder in folders() for stem in stems]
    found = [path for path in paths if path.is_file()]
    if not found:
        known = sorted({p.stem for f in folders() for p in f.glob(f"{kind}-*.safetensors")})
        faults.add(
            "no-weights", "weights", ... if name is None else name,
            f"are not installed for {kind}.",
            f"Installed: {', '.join(known)}."
            if known
            else "Train some (`geopar train`), or use another solver.",
        )  # fmt: skip
        faults.raise_now()
    return found[0]


def read_card(path: Path) -> Card:
    """The card beside a file of weights.

    Raises
    ------
    geopar.errors.InputError
        When it is missing, damaged or of another version.
    """
    card_path, faults = path.with_suffix(".json"), Faults()
    hint = "Get the weights again."
    try:
        if card_path.stat().st_size > CARD_LIMIT:
            raise ValueError("too large")
        values = json.loads(card_path.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise TypeError("not an object")
    except OSError:
        faults.add("no-card", str(card_path), ..., "cannot be read.", hint)
        faults.raise_now()
    except (ValueError, TypeError, RecursionError):
        faults.add("damaged-weights", str(card_path), ..., "is no card of weights.", hint)
        faults.raise_now()
    if values.get("format") != FORMAT:
        faults.add(
            "wrong-version", f"{card_path.name} format", values.get("format"),
            f"is not {FORMAT}, which this geopar ({__version__}) reads.",
            f"They were saved by geopar {values.get('version', 'of an unknown version')}.",
        )  # fmt: skip
        faults.raise_now()
    known = {f.name for f in dataclasses.fields(Card)}
    for name in sorted(known - values.keys() - {"decoding", "learner"}):
        faults.add("damaged-weights", f"{card_path.name} {name}", ..., "is missing.", hint)
    for name in sorted(values.keys() - known):
        faults.add("damaged-weights", f"{card_path.name} {name}", ..., "is unknown.", hint)
    for name in ("architecture", "decoding"):
        if not isinstance(values.get(name, {}), dict):
            faults.add("damaged-weights", f"{card_path.name} {name}", ..., "is no object.", hint)
    faults.raise_if_any()
    architecture = _architecture(values.get("learner", OURS), values)
    decoding = Decoding.of_paper(architecture.kind)
    if "decoding" in values:
        decoding = Decoding.from_json(values["decoding"])
    return Card(**(values | {"architecture": architecture, "decoding": decoding}))


def _architecture(learner: str, values: dict[str, Any]) -> Architecture:
    """The settings of the network that a card speaks of."""
    if learner == OURS:
        return ModelConfig.from_json(values["architecture"])
    from geopar.peers.registry import peer_class

    return peer_class(learner, values["problem"]).Config.from_json(values["architecture"])


def load_weights(kind: str, name: str | None = None, device: str | torch.device = "cpu") -> Policy:
    """The network of a problem with weights by name or path, ready to construct.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are damaged or for another problem, network or version.
    """
    if name == RANDOM:
        return random_policy(kind).to(device)
    path = find_weights(kind, name)
    card = fitting_card(path, kind, OURS)
    with torch.random.fork_rng(devices=[]):
        policy = Policy(card.architecture)  # type: ignore[arg-type]
    fill(policy, path, card)
    policy.decoding = card.decoding
    return policy.eval().to(device)


def fitting_card(path: Path, kind: str, learner: str) -> Card:
    """The card beside a file, when it is for this problem and network.

    Raises
    ------
    geopar.errors.InputError
        When it is not, or cannot be read.
    """
    card, faults = read_card(path), Faults()
    hint = "Maybe see `geopar weights`."
    if card.problem != kind or card.architecture.kind != kind:
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
    data, faults = path.read_bytes(), Faults()
    hint = "Get the weights again."
    if hashlib.sha256(data).hexdigest() != card.sha256:
        faults.add("damaged-weights", path.name, ..., "is not the file its card speaks of.", hint)
        faults.raise_now()
    tensors: dict[str, Tensor] = {}
    try:
        tensors = safetensors.torch.load(data)
    except (SafetensorError, ValueError, KeyError):
        faults.add("damaged-weights", path.name, ..., "is not a file of tensors.", hint)
        faults.raise_now()
    own = network.state_dict()
    for key in sorted(own.keys() - tensors.keys()):
        faults.add("missing-tensor", path.name, key, "is missing.", hint)
    for key in sorted(tensors.keys() - own.keys()):
        faults.add("unknown-tensor", path.name, key, "has no place in the network.", hint)
    for key in sorted(own.keys() & tensors.keys()):
        if own[key].shape != tensors[key].shape:
            shapes = f"{tuple(tensors[key].shape)}, not {tuple(own[key].shape)}"
            faults.add("wrong-shape", path.name, key, f"has the shape {shapes}.", hint)
        elif not bool(torch.isfinite(tensors[key]).all()):
            faults.add("not-finite", path.name, key, "holds numbers that are not finite.", hint)
    faults.raise_if_any()
    network.load_state_dict({n: t.float() for n, t in tensors.items()}, strict=True)


def random_policy(kind: str, config: ModelConfig | None = None, seed: int = 0) -> Policy:
    """A network that has learned nothing, the same for the same seed; ours, if left out."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Policy(config or local_config(kind)).eval()  # type: ignore[arg-type]
