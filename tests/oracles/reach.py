"""Which tasks the agents of our network look at.

A fixed number near the agent's place, so that a step costs O(M·slots) and an agent sees the same at
every size of the instance. Customers are those that cost least in the open trip, of many near its
place; orders are those of all free ones that are due first. Agents at a common depot look at
representatives instead: the farthest open customer in each direction, then the farthest and the
nearest of the rest.

The sets depend on the state alone, never on the network's weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from geopar.pointer.config import PointerConfig
from geopar.pointer.hcvrp_features import SECTORS, HCVRPScene
from geopar.pointer.insertion_features import FORGIVEN, InsertionScene
from geopar.pointer.insertion_kernel import MOST_COMPARED_ORDERS, NEAR_THE_END
from geopar.problems.chains import stops_of
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.hcvrp.trips import cheapest_place
from geopar.problems.omdcpdp.insertion import InsertionState

Scene = HCVRPScene | InsertionScene
# Of the representatives that a depot shows, a quarter are the nearest ones.
NEAREST_SHARE = 4
# Of so many times as many nearest customers those that would add least to an open trip are looked
# at. With more, in large instances all of them lie on the way and none near the last stop.
PRESELECTED = 2
# So many orders are put into routes at once, which limits what that takes of memory.
COMPARED = 64


def near(config: PointerConfig, scene: Scene, state: Any, include: Tensor | None) -> Tensor:
    """``(B, R, M, reach + 1)``: tasks, infeasible ones where there are not enough, then home.

    Parameters
    ----------
    config
        The size.
    scene, state
        The instance and where it stands.
    include
        ``(B, R, M)``: actions that must be among them, such as a teacher's.
    """
    batch = scene.environment.batch
    home, count = batch.num_tasks, min(config.reach, batch.num_tasks)
    allowed = scene.environment.mask(state)[..., :-1]
    if isinstance(scene, InsertionScene):
        found = _cheapest_orders(scene, state, allowed, count)
    else:
        gap = torch.cdist(state.position.flatten(1, 2), batch.tasks).view(allowed.shape)
        found = _cheapest(scene, state, torch.where(allowed, gap, torch.inf), count)
        shown = representatives(scene, state.open[..., :-1], count)[:, :, None].expand_as(found)
        # A vehicle too small for all that is shown looks around instead.
        useful = (state.place == home) & allowed.gather(-1, shown).any(-1)
        found = torch.where(useful[..., None], shown, found)
    return torch.nn.functional.pad(_with(found, include, home), (0, 1), value=home)


def _with(found: Tensor, include: Tensor | None, home: int) -> Tensor:
    """What was found, with a ``(B, R, M)`` task that must be there in place of the last one."""
    if include is None:
        return found
    missing = (include < home) & ~(found == include[..., None]).any(-1)
    last = torch.where(missing, include, found[..., -1])
    return torch.cat([found[..., :-1], last[..., None]], -1)


def _cheapest_orders(
    scene: InsertionScene, state: InsertionState, allowed: Tensor, count: int
) -> Tensor:
    """The free orders that are due first; of very many, of those near the ends of the routes."""
    environment, half = scene.environment, scene.environment.batch.num_orders
    walk, free = environment.walk(state), allowed[..., :half]
    if half > MOST_COMPARED_ORDERS:
        last = walk.last[..., None, None].expand(*walk.last.shape, 1, 2)
        end = walk.places.gather(-2, last)[..., 0, :]
        pickups = environment.batch.tasks[:, :half]
        gap = torch.cdist(end.flatten(1, 2), pickups).view(free.shape)
        gap = gap.masked_fill(~free, torch.inf)
        limit = gap.topk(NEAR_THE_END, largest=False).values[..., -1:]
        are_many = free.sum(-1, keepdim=True) > MOST_COMPARED_ORDERS
        free = free & ~(are_many & (gap > limit))
    orders = torch.arange(half, device=free.device).expand(free.shape)
    parts = [environment.placing(walk, part).cost for part in orders.split(COMPARED, -1)]
    cost = torch.cat(parts, -1).masked_fill(~free, torch.inf)
    few = min(count, cost.shape[-1])
    due = cost - FORGIVEN * scene.numbers(orders)[..., 1]
    found = due.topk(few, largest=False).indices
    # Where there are more columns than orders, deliveries fill them up; nobody may take those.
    rest = torch.arange(half, half + count - few, device=found.device)
    return torch.cat([found, rest.expand(*found.shape[:-1], -1)], -1)


def _cheapest(scene: HCVRPScene, state: HCVRPState, gap: Tensor, count: int) -> Tensor:
    """Of the nearest customers those that make the open trip the least longer."""
    nearest = gap.topk(min(PRESELECTED * count, gap.shape[-1]), largest=False)
    stops = stops_of(state.start, state.follow)
    extra, _ = cheapest_place(scene.environment.batch.places, stops, nearest.indices)
    extra = extra.masked_fill(nearest.values == torch.inf, torch.inf)
    return nearest.indices.gather(-1, extra.topk(count, largest=False).indices)


def representatives(scene: HCVRPScene, is_open: Tensor, count: int) -> Tensor:
    """``(B, R, count)`` open customers as seen from the depot, closed ones where too few are left.

    Parameters
    ----------
    scene
        The instance.
    is_open
        ``(B, R, N)``.
    count
        How many, at most N.
    """
    away = scene.table[:, None, :-1, 2].expand(is_open.shape)
    seen = torch.where(is_open, away, -1.0)
    sector = scene.sector[:, None, :-1].expand(is_open.shape)
    shape = (*is_open.shape[:2], SECTORS)
    farthest = seen.new_full(shape, -1.0).scatter_reduce(-1, sector, seen, "amax")
    leads = is_open & (seen == farthest.gather(-1, sector))
    few = count // NEAREST_SHARE
    far = (seen + 10.0 * leads).topk(count - few).indices
    if not few:
        return far
    # Closed ones after all open ones, and never one twice.
    rest = torch.where(is_open, away, 10.0).scatter(-1, far, torch.inf)
    return torch.cat([far, rest.topk(few, largest=False).indices], -1)
