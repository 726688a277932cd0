import math

import pytest
import torch

from geopar.model import decoder as module
from geopar.model.encoder import Tokens
from midway import midway, policy_for

VARIANTS = {
    "full": {"reach": "full", "edge_pointer": False},
    "full, plain": {"reach": "full", "edge_pointer": False, "fleet_features": False},
    "windowed": {"edge_pointer": False},
    "edge": {"pointer": False, "geometry": False},
    "both": {},
    "both, full": {"reach": "full"},
    "silent": {"communication": 0},
    "around": {"pair_layers": 2, "pair_heads": 2, "pair_talk": 1},
    "around, full": {"pair_layers": 1, "pair_talk": 1, "reach": "full", "pointer": False},
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


def logits_by_loops(policy, encoded, tokens, state, look, b, r):
    """Eqs. 6 to 9 and the edge-biased pointer for one state, in plain loops."""
    config, pointer = policy.config, getattr(policy, "pointer", None)
    fleet_size, home = look.agents.shape[2], encoded.environment.batch.num_tasks
    queries = [None] * fleet_size
    if config.pointer:
        agents, fleet = look.agents, look.fleet
        if not config.fleet_features:
            agents, fleet = encoded.scene.plain_agents(state), encoded.scene.plain_fleet(state)
        for m in range(fleet_size):
            place = int(state.place[b, r, m])
            here = tokens.agents[b, m] if place == home else tokens.tasks[b, place]
            queries[m] = (
                pointer.query_here(here)
                + pointer.query_self(tokens.agents[b, m])
                + pointer.query_agent(agents[b, r, m])
                + pointer.query_fleet(fleet[b, r])
            )
        for layer in pointer.talk:
            heard = talk_by_loops(layer, dict(enumerate(queries)), look.active[b, r])
            queries = [heard[m] for m in range(fleet_size)]
        queries = [pointer.talk_norm(q) for q in queries]
    listed = look.candidates[b] if look.candidates.dim() == 2 else None
    result = torch.full(look.feasible.shape[2:], -math.inf)
    pools, candidates = {}, {}
    for m in range(fleet_size):
        tasks = (listed if listed is not None else look.candidates[b, r, m]).tolist()
        open_columns = [k for k in range(len(tasks)) if look.feasible[b, r, m, k]]
        embedding = {
            k: tokens.agents[b, m] if tasks[k] == home else tokens.tasks[b, tasks[k]]
            for k in open_columns
        } if config.pointer else {}  # fmt: skip
        total = dict.fromkeys(open_columns, 0.0)
        if config.pointer:
            triple = {k: pointer.keys(h).chunk(3, -1) for k, h in embedding.items()}
            keys, values, points = zip(*triple.values(), strict=True)
            glimpse = attend(pointer.glimpse_query(queries[m]), keys, values, config.heads)
            glimpse = pointer.glimpse_out(glimpse)
            row = 0 if listed is not None else m
            for k, point in zip(open_columns, points, strict=True):
                raw = glimpse @ point + pointer.dynamic(glimpse) @ look.dynamic[b, r, row, k]
                total[k] = config.clip * torch.tanh(raw / math.sqrt(config.width))
        if config.edge_pointer:
            edge = policy.edge_pointer
            state_of = torch.cat([look.agents[b, r, m], look.fleet[b, r]])
            shift = edge.agent_out(edge.agent(state_of).relu())
            if config.pointer:
                shift = shift + edge.query(queries[m])
            hidden = {}
            for k in open_columns:
                value = edge.pair(look.pairs[b, r, m, k]) + shift
                if config.pointer and tasks[k] < home:
                    value = value + edge.task(tokens.tasks[b, tasks[k]])
                hidden[k] = value.relu()
            if len(edge.layers):
                hidden = around_by_loops(edge, encoded, b, tasks, hidden)
            stacked = torch.stack(list(hidden.values()))
            pools[m] = edge.pooled(torch.cat([stacked.mean(0), stacked.amax(0)]))
            candidates[m] = hidden
        for k, value in total.items():
            result[m, k] = value
    if config.edge_pointer:
        for layer in edge.talk:
            pools = talk_by_loops(layer, pools, look.active[b, r])
        for m, hidden in candidates.items():
            for k, value in hidden.items():
                score = edge.out((edge.inner(value) + pools[m]).relu())[0]
                result[m, k] += config.clip * torch.tanh(score / config.clip)
    return result


def around_by_loops(edge, encoded, b, tasks, hidden):
    """Candidates of one agent attend to each other."""
    places = encoded.environment.batch.places[b]
    spacing = float(encoded.scene.neighbourhood.spacing[b])
    for layer in edge.layers:
        triple = {k: layer.qkv(layer.attention_norm(x)).chunk(3, -1) for k, x in hidden.items()}
        refined = {}
        for k, x in hidden.items():
            heads, width = [], len(x) // layer.heads
            for h in range(layer.heads):
                part = slice(h * width, (h + 1) * width)
                scores = []
                for other in hidden:
                    one, two = places[tasks[k]].tolist(), places[tasks[other]].tolist()
                    gap = math.dist(one, two) / spacing
                    far, near = layer.distance_bias[:, h]
                    score = triple[k][0][part] @ triple[other][1][part] / math.sqrt(width)
                    scores.append(score + far * math.log1p(gap) + near * math.exp(-gap))
                weights = torch.stack(scores).softmax(0)
                values = [triple[other][2][part] for other in hidden]
                heads.append(sum(w * v for w, v in zip(weights, values, strict=True)))
            y = x + layer.out(torch.cat(heads))
            refined[k] = y + layer.feedforward(layer.feedforward_norm(y))
        hidden = refined
    return {k: x.relu() for k, x in hidden.items()}


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
def test_logits_are_equations_6_to_9(setting, name):
    policy = policy_for(setting.partition("/")[0], **VARIANTS[name])
    encoded, state = midway(policy, setting, 4)
    tokens = Tokens(torch.empty(0), torch.empty(0))
    if policy.config.pointer:
        tokens = policy.encoder(encoded.environment.batch, encoded.cache)
    look = policy.look(encoded, state)
    logits = policy.logits(encoded, state).logits
    for b in range(2):
        for r in range(2):
            expected = logits_by_loops(policy, encoded, tokens, state, look, b, r)
            # Who has no task open has one thing to do, whatever its logit.
            active = look.active[b, r]
            assert ((logits[b, r][~active] > -math.inf).sum(-1) == 1).all()
            torch.testing.assert_close(logits[b, r][active], expected[active], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_agents_without_a_choice_can_be_left_out(setting, monkeypatch):
    policy = policy_for(setting.partition("/")[0], pair_layers=1, pair_talk=1)
    encoded, state = midway(policy, setting, 4)
    active = policy.look(encoded, state).active
    assert active.any()
    assert not active.all()
    monkeypatch.setattr(module, "MOST_BUSY", 2.0)
    few = policy.logits(encoded, state).logits
    monkeypatch.setattr(module, "MOST_BUSY", -1.0)
    everybody = policy.logits(encoded, state).logits
    torch.testing.assert_close(few[active], everybody[active], atol=1e-5, rtol=1e-4)
    done = midway(policy, setting, 30)[1]
    assert bool(done.done.all())
    monkeypatch.setattr(module, "MOST_BUSY", 2.0)
    assert (policy.logits(encoded, done).logits > -math.inf).sum() == done.place.numel()


@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_gathered_keys_score_as_masked_ones(setting, monkeypatch):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, 3)
    masked = policy.logits(encoded, state).logits
    monkeypatch.setattr(module, "MOST_MASKED_TASKS", 0)
    torch.testing.assert_close(policy.logits(encoded, state).logits, masked, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("edge", [True, False])
@pytest.mark.parametrize("setting", SETTINGS)
@torch.no_grad()
def test_forgotten_keys_change_nothing(setting, edge):
    policy = policy_for(setting.partition("/")[0], reach="full", edge_pointer=edge)
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
def test_the_edge_pointer_alone_needs_no_encoder():
    policy = policy_for("hcvrp", pointer=False, geometry=False)
    assert not hasattr(policy, "encoder")
    encoded, _ = midway(policy, "hcvrp/12/3", 0)
    assert encoded.memory is None


@torch.no_grad()
def test_logits_stay_within_their_clips():
    policy = policy_for("hcvrp", clip=2.0)
    for parameter in policy.parameters():
        parameter.mul_(30)
    encoded, state = midway(policy, "hcvrp/12/3", 2)
    logits = policy.logits(encoded, state).logits
    assert logits[logits > -torch.inf].abs().max() <= 4.0
