import math

import pytest
import torch

from geopar.model import decoder as module
from midway import midway, policy_for

VARIANTS = {
    "paper": {"pointer": True},
    "paper, silent": {"pointer": True, "communication": 0},
    "ours": {},
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


def pointer_by_loops(policy, encoded, tokens, state, look, b, r):
    """Eqs. 6 to 9 for one state, in plain loops."""
    config, pointer = policy.config, policy.pointer
    fleet_size, home = look.agents.shape[2], encoded.environment.batch.num_tasks
    queries = []
    for m in range(fleet_size):
        place = int(state.place[b, r, m])
        here = tokens.agents[b, m] if place == home else tokens.tasks[b, place]
        queries.append(
            pointer.query_here(here)
            + pointer.query_self(tokens.agents[b, m])
            + pointer.query_agent(look.agents[b, r, m])
            + pointer.query_fleet(look.fleet[b, r])
        )
    for layer in pointer.talk:
        heard = talk_by_loops(layer, dict(enumerate(queries)), look.active[b, r])
        queries = [heard[m] for m in range(fleet_size)]
    result = torch.full(look.feasible.shape[2:], -math.inf)
    tasks = look.candidates[b].tolist()
    for m, query in enumerate(queries):
        open_columns = [k for k in range(len(tasks)) if look.feasible[b, r, m, k]]
        embedding = [
            tokens.agents[b, m] if tasks[k] == home else tokens.tasks[b, tasks[k]]
            for k in open_columns
        ]
        keys, values, points = zip(*(pointer.keys(h).chunk(3, -1) for h in embedding), strict=True)
        query = pointer.glimpse_query(pointer.talk_norm(query))
        glimpse = pointer.glimpse_out(attend(query, keys, values, config.heads))
        for k, point in zip(open_columns, points, strict=True):
            raw = glimpse @ point + pointer.dynamic(glimpse) @ look.dynamic[b, r, k]
            result[m, k] = config.clip * torch.tanh(raw / math.sqrt(config.width))
    return result


def edge_pointer_by_loops(policy, look, b, r):
    """Our edge-biased pointer for one state, in plain loops."""
    edge, clip = policy.edge_pointer, policy.config.clip
    result = torch.full(look.feasible.shape[2:], -math.inf)
    for m in range(look.agents.shape[2]):
        state_of = torch.cat([look.agents[b, r, m], look.fleet[b, r]])
        shift = edge.agent_out(edge.agent(state_of).relu())
        hidden = {
            k: (edge.pair(look.pairs[b, r, m, k]) + shift).relu()
            for k in range(look.feasible.shape[3])
            if look.feasible[b, r, m, k]
        }
        stacked = torch.stack(list(hidden.values()))
        pooled = edge.pooled(torch.cat([stacked.mean(0), stacked.amax(0)]))
        for k, value in hidden.items():
            score = edge.out((edge.inner(value) + pooled).relu())[0]
            result[m, k] = clip * torch.tanh(score / clip)
    return result


def talk_by_loops(layer, said, active):
    """Agents hear the active ones."""
    names = list(said)
    q, k, v = layer.attention.qkv(
        layer.attention_norm(torch.stack([said[m] for m in names]))
    ).chunk(3, -1)
    heard = [i for i, m in enumerate(names) if active[m]] or list(range(len(names)))
    result = {}
    for i, m in enumerate(names):
        mixed = attend(q[i], k[heard], v[heard], layer.attention.heads)
        x = said[m] + layer.attention.out(mixed)
        result[m] = x + layer.feedforward(layer.feedforward_norm(x))
    return result


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_logits_are_equations_6_to_9_or_the_edge_pointers(setting, name):
    policy = policy_for(setting.partition("/")[0], **VARIANTS[name])
    encoded, state = midway(policy, setting, 3)
    is_paper = policy.config.pointer
    look = (policy.plain_look if is_paper else policy.look)(encoded, state)
    tokens = policy.encoder(encoded.environment.batch, encoded.cache) if is_paper else None
    logits = policy.logits(encoded, state).logits
    for b in range(2):
        for r in range(2):
            if is_paper:
                expected = pointer_by_loops(policy, encoded, tokens, state, look, b, r)
            else:
                expected = edge_pointer_by_loops(policy, look, b, r)
            # Who has no task open has one thing to do, whatever its logit.
            active = look.active[b, r]
            assert ((logits[b, r][~active] > -math.inf).sum(-1) == 1).all()
            torch.testing.assert_close(logits[b, r][active], expected[active], atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_agents_without_a_choice_can_be_left_out(monkeypatch):
    policy = policy_for("hcvrp")
    encoded, state = midway(policy, "hcvrp/12/3", 4)
    active = policy.look(encoded, state).active
    assert active.any()
    assert not active.all()
    monkeypatch.setattr(module, "MOST_BUSY", 2.0)
    few = policy.logits(encoded, state).logits
    monkeypatch.setattr(module, "MOST_BUSY", -1.0)
    everybody = policy.logits(encoded, state).logits
    torch.testing.assert_close(few[active], everybody[active], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_where_all_is_done_everybody_has_one_thing_to_do(setting):
    policy = policy_for(setting.partition("/")[0])
    encoded, done = midway(policy, setting, 30)
    assert bool(done.done.all())
    assert (policy.logits(encoded, done).logits > -math.inf).sum() == done.place.numel()


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_forgotten_keys_change_nothing(setting):
    policy = policy_for(setting.partition("/")[0], pointer=True)
    encoded, state = midway(policy, setting, 6)
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
def test_ours_needs_no_encoder():
    policy = policy_for("hcvrp")
    assert not hasattr(policy, "encoder")
    encoded, state = midway(policy, "hcvrp/12/3", 0)
    assert encoded.memory is None
    assert policy.compacted(encoded, state) is encoded


@pytest.mark.parametrize("pointer", [True, False])
@torch.no_grad()
def test_logits_stay_within_their_clips(pointer):
    policy = policy_for("hcvrp", pointer, clip=2.0)
    for parameter in policy.parameters():
        parameter.mul_(30)
    encoded, state = midway(policy, "hcvrp/12/3", 2)
    logits = policy.logits(encoded, state).logits
    largest = logits[logits > -torch.inf].abs().max()
    assert 1.0 < largest <= 2.0
