import math
from typing import Any

import pytest
import torch

from geopar.paper.observation import observe
from paper_states import partway, small_policy

VARIANTS: dict[str, dict[str, Any]] = {
    "relative": {},
    "parco": {"state": "parco"},
    "silent": {"communication": 0},
    "indirect": {"direct": False},
}
SETTINGS = ["hcvrp/12/3", "omdcpdp/12/3"]


def attend(query, keys, values, heads):
    """One multi-head attention, head by head and key by key."""
    width, parts = len(query) // heads, []
    for h in range(heads):
        part = slice(h * width, (h + 1) * width)
        scores = torch.stack([query[part] @ key[part] for key in keys]) / math.sqrt(width)
        weights = scores.softmax(0)
        parts.append(sum(w * value[part] for w, value in zip(weights, values, strict=True)))
    return torch.cat(parts)


def talk_by_loops(layer, said, active):
    """Agents hear the active ones."""
    q, k, v = layer.attention.qkv(layer.attention_norm(torch.stack(said))).chunk(3, -1)
    heard = [m for m in range(len(said)) if active[m]] or list(range(len(said)))
    result = []
    for m, own in enumerate(said):
        x = own + layer.attention.out(attend(q[m], k[heard], v[heard], layer.attention.heads))
        result.append(x + layer.feedforward(layer.feedforward_norm(x)))
    return result


def logits_by_loops(policy, encoded, tokens, state, seen, b, r):
    """Eqs. 6 to 9 for one state, in plain loops."""
    config, decoder = policy.config, policy.decoder
    fleet_size, home = seen.agents.shape[2], encoded.environment.batch.num_tasks
    queries = []
    for m in range(fleet_size):
        place = int(state.place[b, r, m])
        here = tokens.agents[b, m] if place == home else tokens.tasks[b, place]
        queries.append(
            decoder.query_here(here)
            + decoder.query_self(tokens.agents[b, m])
            + decoder.query_agent(seen.agents[b, r, m])
            + decoder.query_fleet(seen.fleet[b, r])
        )
    for layer in decoder.talk:
        queries = talk_by_loops(layer, queries, seen.active[b, r])
    result = torch.full(seen.feasible.shape[2:], -math.inf)
    for m in range(fleet_size):
        columns = [k for k in range(home + 1) if seen.feasible[b, r, m, k]]
        embedding = [tokens.agents[b, m] if k == home else tokens.tasks[b, k] for k in columns]
        triples = [decoder.keys(h).chunk(3, -1) for h in embedding]
        keys, values, points = zip(*triples, strict=True)
        heard = decoder.talk_norm(queries[m])
        query = decoder.glimpse_query(heard)
        pointed = decoder.glimpse_out(attend(query, keys, values, config.heads))
        if config.direct:
            pointed = pointed + decoder.direct(heard)
        for k, point in zip(columns, points, strict=True):
            raw = pointed @ point + decoder.dynamic(pointed) @ seen.tasks[b, r, k]
            result[m, k] = config.clip * torch.tanh(raw / math.sqrt(config.width))
    return result


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_logits_are_equations_6_to_9(setting, name):
    policy = small_policy(setting.partition("/")[0], **VARIANTS[name])
    encoded, state = partway(policy, setting, 4)
    tokens = policy.encoder(encoded.environment.batch, encoded.cache)
    seen = observe(
        policy.config, encoded.environment, encoded.observer, state, encoded.memory.listed
    )
    logits = policy.logits(encoded, state).logits
    for b in range(2):
        for r in range(2):
            expected = logits_by_loops(policy, encoded, tokens, state, seen, b, r)
            torch.testing.assert_close(logits[b, r], expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_forgotten_keys_change_nothing(setting):
    policy = small_policy(setting.partition("/")[0])
    encoded, state = partway(policy, setting, 6)
    whole = policy.logits(encoded, state)
    compact = policy.compacted(encoded, state)
    assert compact.memory.num_listed < encoded.memory.num_listed
    assert policy.compacted(compact, state) is compact
    fewer = policy.logits(compact, state)

    def by_task(scores):
        empty = torch.full_like(whole.logits, -torch.inf)
        return empty.scatter(-1, scores.candidates, scores.logits)

    torch.testing.assert_close(by_task(fewer), by_task(whole), atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_logits_stay_within_their_clip():
    policy = small_policy("hcvrp", clip=2.0)
    for parameter in policy.parameters():
        parameter.mul_(30)
    encoded, state = partway(policy, "hcvrp/12/3", 2)
    logits = policy.logits(encoded, state).logits
    assert logits[logits > -torch.inf].abs().max() <= 2.0
