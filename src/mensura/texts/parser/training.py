"""Trains a parser on a treebank, with PyTorch; what comes of it runs without (``network``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mensura.texts.parser.lemmas import script_of
from mensura.texts.parser.network import LEAK, ROOT, UNKNOWN, Network, Sizes, Vocabulary
from mensura.texts.sentences import Sentence

TAGS = ("upos", "features", "scripts")
"""What the network tells of a word besides what it depends on."""
NONE = -100
"""What a word without a right answer has instead of one: it teaches nothing."""


@dataclass(frozen=True)
class Course:
    """How long and how a parser is trained."""

    epochs: int = 60
    words: int = 1_500
    """Of a batch, padding included."""
    rate: float = 2e-3
    dropout: float = 0.33
    unknown: float = 0.2
    """Share of words that are hidden, so that the network learns to go by characters."""
    average: float = 0.998
    """How much of the running average of its numbers stays at each step."""
    seed: int = 1


def vocabulary_of(sentences: Sequence[Sentence], often: int = 2) -> Vocabulary:
    """What a network can learn from these sentences: words, characters and answers that come often enough."""
    counts: dict[str, Counter[str]] = {one.name: Counter() for one in fields(Vocabulary)}
    for sentence in sentences:
        for one in sentence.tokens:
            counts["words"][one.form.lower()] += 1
            counts["characters"].update(one.form)
            counts["upos"][one.upos] += 1
            counts["features"][one.features] += 1
            counts["scripts"][script_of(one.form, one.lemma)] += 1
            counts["relations"][one.relation] += 1
    least = {"words": often, "characters": often, "features": often, "scripts": often}
    kept = {}
    for name, found in counts.items():
        enough = [one for one, times in found.items() if times >= least.get(name, 1)]
        kept[name] = tuple(sorted(enough or found, key=lambda one: (-counts[name][one], one)))
    return Vocabulary(**kept)


class _Net(nn.Module):
    """The network as PyTorch trains it."""

    def __init__(self, sizes: Sizes, known: Vocabulary, dropout: float) -> None:
        super().__init__()
        self.sizes, self.dropout = sizes, dropout
        self.words = nn.Embedding(len(known.words) + 2, sizes.word)
        self.characters = nn.Embedding(len(known.characters) + 3, sizes.character)
        self.filters = nn.ModuleList(
            nn.Conv1d(sizes.character, sizes.filters, width) for width in sizes.widths
        )
        width, units = sizes.word + sizes.filters * len(sizes.widths), sizes.units
        self.lstms = nn.ModuleList(
            nn.LSTM(2 * units if k else width, units, bidirectional=True)
            for k in range(sizes.layers)
        )
        self.arc_dependent = nn.Linear(2 * units, sizes.arc)
        self.arc_head = nn.Linear(2 * units, sizes.arc)
        self.label_dependent = nn.Linear(2 * units, sizes.label)
        self.label_head = nn.Linear(2 * units, sizes.label)
        self.tag = nn.Linear(2 * units + width, sizes.tag)
        self.upos = nn.Linear(sizes.tag, len(known.upos))
        self.features = nn.Linear(sizes.tag, len(known.features))
        self.scripts = nn.Linear(sizes.tag, len(known.scripts))
        self.arc = nn.Parameter(torch.zeros(sizes.arc + 1, sizes.arc))
        side = sizes.label + 1
        self.label = nn.Parameter(torch.zeros(len(known.relations), side, side))
        nn.init.normal_(self.words.weight, std=0.1)
        for lstm in self.lstms:
            for name, one in lstm.named_parameters():
                if "weight_hh" in name:
                    for k in range(4):
                        nn.init.orthogonal_(one[k * units : (k + 1) * units])

    def _dropped(self, seen: Tensor) -> Tensor:
        """The same units at every word of a sentence are left out."""
        if not self.training:
            return seen
        kept = torch.rand(1, *seen.shape[1:], device=seen.device) >= self.dropout
        return seen * kept / (1.0 - self.dropout)

    def _layer(self, seen: Tensor, layer: nn.Linear) -> Tensor:
        return self._dropped(functional.leaky_relu(layer(seen), LEAK))

    def told(
        self, words: Tensor, spelled: Tensor, forms: Tensor, lengths: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Each word as it is seen alone, and what the layers tell of it: (steps, sentences, ...)."""
        there = (spelled >= 0).unsqueeze(1)
        shown = self.characters(spelled.clamp(min=0)).transpose(1, 2) * there
        shown = functional.pad(shown, (0, max(self.sizes.widths)))
        looked = (functional.relu(one(shown))[:, :, : spelled.shape[1]] for one in self.filters)
        parts = [(one * there).amax(dim=2) for one in looked]
        seen = torch.cat((self.words(words), torch.cat(parts, dim=1)[forms]), dim=2)
        seen = alone = self._dropped(seen)
        for lstm in self.lstms:
            packed = nn.utils.rnn.pack_padded_sequence(seen, lengths.cpu(), enforce_sorted=False)
            seen = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], total_length=len(words))[0]
            seen = self._dropped(seen)
        return alone, seen

    def loss(self, batch: _Batch) -> Tensor:
        """How far its answers are from the right ones; those on trees count most."""
        alone, told = self.told(batch.words, batch.spelled, batch.forms, batch.lengths)
        below, above = self._layer(told, self.arc_dependent), self._layer(told, self.arc_head)
        turned = below @ self.arc[:-1] + self.arc[-1]
        scores = torch.einsum("dsa,hsa->sdh", turned, above)
        steps = len(told)
        behind = torch.arange(steps, device=told.device)[None, :] >= batch.lengths[:, None]
        scores = scores.masked_fill(behind[:, None, :], -1e4)
        scores = scores.masked_fill(torch.eye(steps, dtype=torch.bool, device=told.device), -1e4)
        heads = batch.heads.T
        total = functional.cross_entropy(
            scores.reshape(-1, steps), heads.reshape(-1), ignore_index=NONE
        )
        wanted = heads != NONE
        below = self._layer(told, self.label_dependent).transpose(0, 1)[wanted]
        places = heads.clamp(min=0).unsqueeze(2).expand(-1, -1, self.sizes.label)
        above = self._layer(told, self.label_head).transpose(0, 1).gather(1, places)[wanted]
        ones = torch.ones(len(below), 1, device=told.device)
        below, above = torch.cat((below, ones), 1), torch.cat((above, ones), 1)
        labels = torch.einsum("ni,rij,nj->nr", below, self.label, above)
        total = total + functional.cross_entropy(
            labels, batch.relations.T[wanted], ignore_index=NONE
        )
        tags = self._layer(torch.cat((told, alone), 2), self.tag).transpose(0, 1)[wanted]
        for name in TAGS:
            right = getattr(batch, name).T[wanted]
            answers = getattr(self, name)(tags)
            total = total + 0.5 * functional.cross_entropy(answers, right, ignore_index=NONE)
        return total


@dataclass
class _Batch:
    """Sentences of about the same length as numbers; (steps, sentences) each."""

    words: Tensor
    spelled: Tensor
    forms: Tensor
    lengths: Tensor
    heads: Tensor
    relations: Tensor
    upos: Tensor
    features: Tensor
    scripts: Tensor


class _Numbered:
    """A treebank as numbers, and batches of it."""

    def __init__(self, sentences: Sequence[Sentence], known: Vocabulary, device: Any) -> None:
        self.device = device
        forms = sorted({one.form for s in sentences for one in s.tokens})
        number = {form: k for k, form in enumerate(["", *forms])}
        letters = [known.spelled(form) for form in number]
        spelled = np.full((len(letters), max(map(len, letters))), -1)
        for k, one in enumerate(letters):
            spelled[k, : len(one)] = one
        self.spelled = torch.from_numpy(spelled).to(device)
        tables = {
            name: {one: k for k, one in enumerate(getattr(known, name))}
            for name in (*TAGS, "relations")
        }
        self.rows = []
        for s in sentences:
            rows = [[ROOT, 0, NONE, NONE, NONE, NONE, NONE]]
            rows += [
                [
                    known.word(one.form), number[one.form], one.head, tables["relations"][one.relation],
                    tables["upos"][one.upos], tables["features"].get(one.features, NONE),
                    tables["scripts"].get(script_of(one.form, one.lemma), NONE),
                ]
                for one in s.tokens
            ]  # fmt: skip
            self.rows.append(np.array(rows).T)

    def batches(self, words: int, rng: np.random.Generator) -> Iterator[list[int]]:
        """Sentences of about the same length together, in a drawn order."""
        lengths = np.array([one.shape[1] for one in self.rows])
        order = np.argsort(lengths + rng.random(len(lengths)) * 3, kind="stable")
        found: list[list[int]] = [[]]
        for k in order.tolist():
            if found[-1] and (len(found[-1]) + 1) * lengths[k] > words:
                found.append([])
            found[-1].append(k)
        for k in rng.permutation(len(found)).tolist():
            yield found[k]

    def batch(self, some: Sequence[int], unknown: float, rng: np.random.Generator) -> _Batch:
        """These sentences; a share of their words is hidden."""
        steps = max(self.rows[k].shape[1] for k in some)
        table = np.full((7, steps, len(some)), NONE)
        table[:2] = 0
        for place, k in enumerate(some):
            table[:, : self.rows[k].shape[1], place] = self.rows[k]
        hidden = (rng.random(table[0].shape) < unknown) & (table[0] != ROOT)
        table[0][hidden] = UNKNOWN
        there = torch.from_numpy(table).to(self.device, non_blocking=True)
        needed, places = torch.unique(there[1], return_inverse=True)
        lengths = torch.tensor([self.rows[k].shape[1] for k in some], device=self.device)
        return _Batch(there[0], self.spelled[needed], places, lengths, *there[2:])


def trained(
    sentences: Sequence[Sentence],
    course: Course | None = None,
    sizes: Sizes | None = None,
    *,
    device: str = "cpu",
    after_epoch: Callable[[int, float, Callable[[], Network]], None] | None = None,
) -> Network:
    """A parser that learned from these sentences.

    ``after_epoch`` is told the epoch, the mean loss, and how to have the network as it is.
    """
    course, sizes = course or Course(), sizes or Sizes()
    known = vocabulary_of(sentences)
    on = torch.device(device)
    with torch.random.fork_rng(devices=[on] if on.type == "cuda" else []):
        torch.manual_seed(course.seed)
        net = _Net(sizes, known, course.dropout).to(on)
        running = _Net(sizes, known, 0.0).to(on)
        running.load_state_dict(net.state_dict())
        numbered = _Numbered(sentences, known, on)
        rng = np.random.default_rng([course.seed, 7])
        optimizer = torch.optim.AdamW(
            net.parameters(), lr=course.rate, betas=(0.9, 0.95), weight_decay=1e-4
        )
        whole = course.epochs * sum(
            1 for _ in numbered.batches(course.words, np.random.default_rng(0))
        )
        warming = max(1, min(200, whole // 10))
        done = 0
        for epoch in range(1, course.epochs + 1):
            losses = []
            for some in numbered.batches(course.words, rng):
                done += 1
                share = min(done / whole, 1.0)
                warm = min(1.0, done / warming)
                for group in optimizer.param_groups:
                    group["lr"] = course.rate * warm * (0.5 + 0.5 * math.cos(math.pi * share))
                net.train()
                loss = net.loss(numbered.batch(some, course.unknown, rng))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 5.0)
                optimizer.step()
                stays = min(course.average, (1 + done) / (10 + done))
                with torch.no_grad():
                    for old, new in zip(running.parameters(), net.parameters(), strict=True):
                        old.lerp_(new, 1.0 - stays)
                losses.append(loss.detach())
            if after_epoch is not None:
                mean = float(torch.stack(losses).mean())
                after_epoch(epoch, mean, lambda: _exported(running, sizes, known))
    return _exported(running, sizes, known)


def _exported(net: _Net, sizes: Sizes, known: Vocabulary) -> Network:
    """The network for NumPy."""

    def plain(one: Tensor) -> Any:
        return one.detach().cpu().float().numpy()

    numbers: dict[str, Any] = {
        "words": plain(net.words.weight),
        "characters": plain(net.characters.weight),
        "arc": plain(net.arc),
        "label": plain(net.label),
    }
    for width, one in zip(sizes.widths, net.filters, strict=True):
        numbers[f"filters{width}"] = plain(one.weight.permute(2, 1, 0)).copy()
        numbers[f"filters{width}.bias"] = plain(one.bias)
    for name in ("arc_dependent", "arc_head", "label_dependent", "label_head", "tag", *TAGS):
        layer = getattr(net, name)
        numbers[name] = plain(layer.weight.T).copy()
        numbers[f"{name}.bias"] = plain(layer.bias)
    # PyTorch's gates are input, forget, content, output.
    order = np.concatenate([np.arange(k * sizes.units, (k + 1) * sizes.units) for k in (0, 1, 3, 2)])  # fmt: skip
    for k, lstm in enumerate(net.lstms):
        for way, end in enumerate(("l0", "l0_reverse")):
            weight = plain(getattr(lstm, f"weight_ih_{end}"))
            numbers[f"lstm{k}.{way}.input"] = weight[order].T.copy()
            weight = plain(getattr(lstm, f"weight_hh_{end}"))
            numbers[f"lstm{k}.{way}.recurrent"] = weight[order].T.copy()
            bias = plain(getattr(lstm, f"bias_ih_{end}") + getattr(lstm, f"bias_hh_{end}"))
            numbers[f"lstm{k}.{way}.bias"] = bias[order].copy()
    return Network(sizes, known, numbers)
