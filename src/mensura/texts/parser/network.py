"""What a trained parser computes, in NumPy alone: words and characters, three BiLSTMs, biaffine scores.

The network is that of Dozat and Manning (2017, "Deep biaffine attention for neural dependency parsing") with a
convolution over characters, which also tags and finds lemmas. Its numbers come from ``mensura.texts.parser.training``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core import archives
from mensura.texts.parser.lemmas import applied
from mensura.texts.parser.threads import one_thread
from mensura.texts.parser.trees import best_tree
from mensura.texts.sentences import Token

MOST = 1 << 30
"""Bytes of all arrays of a parser."""

Array = npt.NDArray[np.float32]
UNKNOWN, ROOT, BEGIN, END = 0, 1, 1, 2
"""Numbers of words and characters that stand for others; those that are known follow."""
LEAK = 0.1
"""The slope of units below 0."""
TOGETHER = 64
"""How many sentences are computed at a time: of about the same length, so that little is padded."""
LONGEST_WORD = 40
"""Characters of a word that are looked at: its first and last ones."""
FORMAT = 1


@dataclass(frozen=True)
class Sizes:
    """How large the parts of a network are."""

    word: int = 128
    character: int = 48
    filters: int = 80
    widths: tuple[int, ...] = (3, 4, 5)
    units: int = 300
    layers: int = 3
    arc: int = 400
    label: int = 128
    tag: int = 256


@dataclass(frozen=True)
class Vocabulary:
    """What the network's numbers stand for, in their order."""

    words: tuple[str, ...]
    characters: tuple[str, ...]
    upos: tuple[str, ...]
    features: tuple[str, ...]
    scripts: tuple[str, ...]
    relations: tuple[str, ...]

    def __post_init__(self) -> None:
        """Number words and characters."""
        object.__setattr__(self, "_word", {w: k for k, w in enumerate(self.words, 2)})
        object.__setattr__(self, "_character", {c: k for k, c in enumerate(self.characters, 3)})

    def word(self, form: str) -> int:
        """The number of a word."""
        numbers: dict[str, int] = self.__dict__["_word"]
        return numbers.get(form.lower(), UNKNOWN)

    def spelled(self, form: str) -> list[int]:
        """The numbers of a word's characters, between marks of its begin and end."""
        numbers: dict[str, int] = self.__dict__["_character"]
        half = LONGEST_WORD // 2
        seen = form if len(form) <= LONGEST_WORD else form[:half] + form[-half:]
        return [BEGIN, *(numbers.get(one, UNKNOWN) for one in seen), END]


class Network:
    """A trained parser: gives words, one sentence at least, what they are and what they depend on."""

    def __init__(self, sizes: Sizes, vocabulary: Vocabulary, numbers: dict[str, Array]) -> None:
        self.sizes, self.vocabulary, self.numbers = sizes, vocabulary, numbers
        self._spellings: dict[str, Array] = {}

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[list[Token]]:
        """Words with all that the network tells of them."""
        with one_thread():
            return self._all(sentences)

    def _all(self, sentences: Sequence[Sequence[str]]) -> list[list[Token]]:
        found: list[list[Token]] = [[] for _ in sentences]
        order = sorted((k for k, s in enumerate(sentences) if s), key=lambda k: len(sentences[k]))
        for start in range(0, len(order), TOGETHER):
            some = order[start : start + TOGETHER]
            for place, tokens in zip(some, self._parsed([sentences[k] for k in some]), strict=True):
                found[place] = tokens
        return found

    def _parsed(self, sentences: list[Sequence[str]]) -> list[list[Token]]:
        """The same of sentences of about the same length; word 0 of each is the root."""
        longest = 1 + max(len(one) for one in sentences)
        there = np.zeros((longest, len(sentences), 1), np.float32)
        self._spell({form for one in sentences for form in one})
        seen = np.zeros((longest, len(sentences), self._width), np.float32)
        for k, words in enumerate(sentences):
            there[: len(words) + 1, k] = 1.0
            numbers = [ROOT, *(self.vocabulary.word(form) for form in words)]
            seen[: len(numbers), k, : self.sizes.word] = self.numbers["words"][numbers]
            spelled = [self._spellings[""], *(self._spellings[form] for form in words)]
            seen[: len(numbers), k, self.sizes.word :] = spelled
        alone = seen
        for layer in range(self.sizes.layers):
            seen = np.concatenate([self._lstm(seen, there, layer, way) for way in (0, 1)], axis=2)
        return [
            self._read(words, seen[: len(words) + 1, k], alone[: len(words) + 1, k])
            for k, words in enumerate(sentences)
        ]

    @property
    def _width(self) -> int:
        return self.sizes.word + self.sizes.filters * len(self.sizes.widths)

    def _spell(self, forms: set[str]) -> None:
        """What convolutions see in the characters of words; kept, since words come again."""
        if len(self._spellings) > 50_000:
            self._spellings.clear()
        new = sorted({"", *forms} - self._spellings.keys())
        if not new:
            return
        letters = [self.vocabulary.spelled(form) for form in new]
        steps = max(map(len, letters))
        shown = np.zeros(
            (len(new), steps + max(self.sizes.widths), self.sizes.character), np.float32
        )
        there = np.zeros((len(new), steps, 1), np.float32)
        for k, one in enumerate(letters):
            shown[k, : len(one)] = self.numbers["characters"][one]
            there[k, : len(one)] = 1.0
        parts = []
        for width in self.sizes.widths:
            weight = self.numbers[f"filters{width}"]
            looked = np.zeros((len(new), steps, self.sizes.filters), np.float32)
            for k in range(width):
                looked += shown[:, k : k + steps] @ weight[k]
            looked += self.numbers[f"filters{width}.bias"]
            parts.append((np.maximum(looked, 0.0) * there).max(axis=1))
        for form, one in zip(new, np.concatenate(parts, axis=1), strict=True):
            self._spellings[form] = one

    def _lstm(self, seen: Array, there: Array, layer: int, way: int) -> Array:
        """What one direction of a layer tells at each word; nothing comes from behind the end of a sentence."""
        name, units = f"lstm{layer}.{way}", self.sizes.units
        steps, many, _ = seen.shape
        # Gates: input, forget, output, then the new content.
        gates = seen.reshape(steps * many, -1) @ self.numbers[f"{name}.input"]
        gates = (gates + self.numbers[f"{name}.bias"]).reshape(steps, many, 4 * units)
        recurrent = self.numbers[f"{name}.recurrent"]
        told = np.zeros((steps, many, units), np.float32)
        state = np.zeros((many, units), np.float32)
        cell = np.zeros((many, units), np.float32)
        for step in range(steps) if way == 0 else reversed(range(steps)):
            gate = gates[step]
            gate += state @ recurrent
            squashed = gate[:, : 3 * units]
            np.multiply(squashed, 0.5, out=squashed)
            np.tanh(gate, out=gate)  # the logistic function is half a tangent of half the argument
            squashed += 1.0
            squashed *= 0.5
            cell = gate[:, units : 2 * units] * cell + gate[:, :units] * gate[:, 3 * units :]
            state = gate[:, 2 * units : 3 * units] * np.tanh(cell)
            if way == 1:
                cell *= there[step]
                state *= there[step]
            told[step] = state
        return told

    def _layer(self, seen: Array, name: str) -> Array:
        found: Array = seen @ self.numbers[name] + self.numbers[f"{name}.bias"]
        leaked: Array = np.maximum(found, LEAK * found)
        return leaked

    def _read(self, words: Sequence[str], told: Array, alone: Array) -> list[Token]:
        """Heads by the best tree, then relations between the words that it joins, tags and lemmas."""
        head = self._layer(told, "arc_head")
        heads = best_tree(self._arcs(self._layer(told, "arc_dependent"), head))
        above = self._layer(told, "label_head")[heads]
        below = self._layer(told, "label_dependent")[1:]
        labels = self._labels(below, above)
        named = self.vocabulary.relations
        root = named.index("root") if "root" in named else -1
        if root >= 0:
            labels[:, root] = np.where(np.array(heads) == 0, np.inf, -np.inf)
        tags = self._layer(np.concatenate((told[1:], alone[1:]), 1), "tag")
        upos, features, scripts = (
            (tags @ self.numbers[name] + self.numbers[f"{name}.bias"]).argmax(axis=1)
            for name in ("upos", "features", "scripts")
        )
        known = self.vocabulary
        return [
            Token(
                form,
                applied(known.scripts[scripts[k]], form),
                known.upos[upos[k]],
                heads[k],
                named[int(labels[k].argmax())],
                known.features[features[k]],
            )
            for k, form in enumerate(words)
        ]

    def _arcs(self, dependent: Array, head: Array) -> npt.NDArray[np.float64]:
        """Scores of each word depending on each, as logarithms of shares, so that those of trees can be added."""
        weight = self.numbers["arc"]
        scores = (dependent @ weight[:-1] + weight[-1]) @ head.T
        np.fill_diagonal(scores, -1e4)
        scores -= scores.max(axis=1, keepdims=True)
        shares = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return np.asarray(shares, np.float64)

    def _labels(self, below: Array, above: Array) -> Array:
        """Scores of each relation between pairs of words."""
        one = np.ones((len(below), 1), np.float32)
        below, above = np.concatenate((below, one), 1), np.concatenate((above, one), 1)
        weight = self.numbers["label"]
        many, size, _ = weight.shape
        turned = (below @ weight.transpose(1, 0, 2).reshape(size, -1)).reshape(-1, many, size)
        scores: Array = (turned * above[:, None, :]).sum(axis=2)
        return scores

    # Files

    def save(self, path: Path) -> None:
        """Keep it in one file: matrices with a byte for each number and a factor for each row."""
        kept: dict[str, Any] = {}
        for name, one in self.numbers.items():
            if one.ndim < 2:
                kept[name] = one.astype(np.float16)
                continue
            factor = np.maximum(np.abs(one).max(axis=-1, keepdims=True), 1e-12) / 127.0
            kept[name] = np.rint(one / factor).astype(np.int8)
            kept[f"{name}/factor"] = factor.astype(np.float32)
        about = {
            "format": FORMAT,
            "sizes": asdict(self.sizes),
            "vocabulary": asdict(self.vocabulary),
        }
        text = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
        partial = path.with_name(path.name + ".part")
        with partial.open("wb") as file:
            np.savez_compressed(file, about=np.frombuffer(text, np.uint8), **kept)
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Network:
        """The one that a file keeps; raises MensuraError where it keeps none."""
        try:
            kept = archives.arrays(path, MOST)
            about = json.loads(kept["about"].tobytes())
            if about["format"] != FORMAT:
                raise ValueError(f"format {about['format']} is unknown")
            numbers = {}
            for name in kept:
                if name == "about" or name.endswith("/factor"):
                    continue
                one = kept[name].astype(np.float32)
                if f"{name}/factor" in kept:
                    one *= kept[f"{name}/factor"]
                numbers[name] = one
            sizes = about["sizes"] | {"widths": tuple(about["sizes"]["widths"])}
            lists = {name: tuple(one) for name, one in about["vocabulary"].items()}
            return cls(Sizes(**sizes), Vocabulary(**lists), numbers)
        except OSError as why:
            raise MensuraError(
                f"{path} cannot be read as a parser: {why.strerror or why}."
            ) from why
        except archives.BROKEN as why:
            raise MensuraError(
                f"{path} is no parser that `mensura analogy parser train` wrote: {why}."
            ) from why
