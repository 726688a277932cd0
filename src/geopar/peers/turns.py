"""HCVRP agent after agent: the environment of DPN.

A vehicle drives until it hands over to the next in an order; then it is home and has finished. At a
customer it may also go home, reload and go on. It may not hand over what nobody after it can carry,
so the last one, and whoever is the last to have room for a heavy customer, stays until all is
served. (Zheng et al. 2024 have no reloads; these are inferred.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from geopar.peers.sequential import alone, of_vehicle
from geopar.problems.batch import HCVRPBatch
from geopar.problems.hcvrp.environment import HCVRPEnvironment, HCVRPState
from geopar.problems.tensors import distance

# Rooms and demands are never negative: nothing is heavier than nobody's room.
NOBODY = -1.0


@dataclass(frozen=True, eq=False)
class TurnState:
    """Where the fleet is, and whose turn it is.

    Parameters
    ----------
    fleet
        Places, loads and open customers.
    order
        ``(B, R, M)``: the vehicles in the order of their turns.
    turn
        ``(B, R)``: how many have handed over.
    room_after
        ``(B, R, M)`` float64: the largest capacity of those who come after each turn.
    """

    fleet: HCVRPState
    order: Tensor
    turn: Tensor
    room_after: Tensor

    @property
    def steps(self) -> Tensor:
        """``(B, R)``: until all was served."""
        return self.fleet.steps

    @property
    def done(self) -> Tensor:
        """``(B, R)``: whether everything is served."""
        return self.fleet.done

    @property
    def vehicle(self) -> Tensor:
        """``(B, R)``: whose turn it is."""
        return self.order.gather(-1, self.turn[..., None])[..., 0]


class TurnEnvironment:
    """The rules for one batch: actions are customers, N to reload, N + 1 to hand over.

    Parameters
    ----------
    batch
        The instances.
    idle_reload
        A vehicle may also reload where it stands at the depot, which wastes a step; endless loops
        are then possible, and ``most_steps`` ends them.
    """

    def __init__(self, batch: HCVRPBatch, idle_reload: bool = False) -> None:
        self.batch, self.idle_reload = batch, idle_reload
        self.fleet = HCVRPEnvironment(batch)
        self._home = batch.num_tasks
        # After so many steps the rest is served by rule.
        self.most_steps = 4 * batch.num_tasks + batch.num_vehicles

    def reset(self, order: Tensor) -> TurnState:
        """All vehicles at the depot, with turns in a ``(B, R, M)`` order."""
        fleet = self.fleet.reset(order.shape[1])
        room = fleet.left.gather(-1, order)
        after = room.flip(-1).cummax(-1).values.flip(-1)
        after = torch.cat([after[..., 1:], torch.full_like(after[..., :1], NOBODY)], -1)
        return TurnState(fleet, order, torch.zeros_like(fleet.steps), after)

    def mask(self, state: TurnState) -> Tensor:
        """``(B, R, N + 2)``: what the vehicle may do; finished episodes hand over."""
        fleet, column = state.fleet, state.vehicle[..., None]
        demand = self.batch.demand[:, None]
        customers = fleet.open & (demand <= fleet.left.gather(-1, column))
        away = fleet.place.gather(-1, column)[..., 0] != self._home
        heaviest = torch.where(fleet.open, demand, NOBODY).amax(-1)
        hand_over = heaviest <= state.room_after.gather(-1, state.turn[..., None])[..., 0]
        customers[..., -1] = (away | self.idle_reload) & ~fleet.done
        return torch.cat([customers, (hand_over | fleet.done)[..., None]], -1)

    def late(self, state: TurnState) -> Tensor:
        """``(B, R)``: whether the rest is served by rule."""
        return (state.steps >= self.most_steps) & ~state.done

    def action(self, state: TurnState, choice: Tensor) -> Tensor:
        """``(B, R, M)``: what the fleet does when its vehicle chooses ``(B, R)``."""
        return alone(self.batch, state.vehicle, choice.clamp(max=self._home))

    def serve(self, state: TurnState) -> Tensor:
        """``(B, R, M)``: the vehicle that would be home first serves its nearest customer.

        When nobody fits on board any more it reloads.
        """
        fleet, batch = state.fleet, self.batch
        demand = batch.demand[:, None]
        lightest = torch.where(fleet.open, demand, torch.inf).amin(-1, keepdim=True)
        useful = lightest <= self.fleet.reset().left
        vehicle = torch.where(useful, self.fleet.finish(fleet), torch.inf).argmin(-1)
        column = vehicle[..., None]
        fits = fleet.open & (demand <= fleet.left.gather(-1, column))
        here = of_vehicle(fleet.position, vehicle)[..., None, :]
        gap = distance(batch.places[:, None], here).masked_fill(~fits, torch.inf)
        node = torch.where(fits.any(-1), gap.argmin(-1), self._home)
        return alone(batch, vehicle, node)

    def step(self, state: TurnState, action: Tensor, hands_over: Tensor) -> TurnState:
        """The state after an action of :meth:`action` or :meth:`serve`.

        ``hands_over`` is ``(B, R)``: where the turn goes on.
        """
        turn = (state.turn + hands_over).clamp(max=self.batch.num_vehicles - 1)
        return replace(state, fleet=self.fleet.step(state.fleet, action), turn=turn)

    def cost(self, state: TurnState) -> Tensor:
        """The makespan."""
        return self.fleet.cost(state.fleet)
