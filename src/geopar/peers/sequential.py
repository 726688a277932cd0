"""HCVRP one vehicle-customer pair a step: the environment of AM and 2D-Ptr (Liu et al. 2024).

The same states and costs as in parallel, where in each step all vehicles but one stay. A vehicle
may go home whenever it is not there; it may not wait. Finished episodes of a batch are padded:
vehicle 0 goes home.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from geopar.problems.batch import Batch, HCVRPBatch
from geopar.problems.hcvrp.environment import HCVRPEnvironment, HCVRPState


class SequentialEnvironment(HCVRPEnvironment):
    """The rules for one batch, where one vehicle alone acts in each step."""

    def vehicle_mask(self, state: HCVRPState) -> Tensor:
        """``(B, R, M)``: who may do anything: somebody fits, or it can go home."""
        mask = (state.place != self._home) | self.has_task(state)
        mask[..., 0] |= state.done
        return mask

    def node_mask(self, state: HCVRPState, vehicle: Tensor) -> Tensor:
        """``(B, R, N + 1)``: where a vehicle ``(B, R)`` may go; the depot is last."""
        column = vehicle[..., None]
        mask = state.open & (self.batch.demand[:, None] <= state.left.gather(-1, column))
        mask[..., -1] = (state.place.gather(-1, column)[..., 0] != self._home) | state.done
        return mask

    def pair_mask(self, state: HCVRPState) -> Tensor:
        """``(B, R, M, N + 1)``: where each vehicle may go; the depot is last."""
        mask = state.open[:, :, None] & (
            self.batch.demand[:, None, None] <= state.left[..., None]
        )  # fmt: skip
        mask[..., -1] = state.place != self._home
        mask[..., 0, -1] |= state.done
        return mask

    def action(self, vehicle: Tensor, node: Tensor) -> Tensor:
        """``(B, R, M)``: a vehicle ``(B, R)`` goes to a node, the others stay."""
        return alone(self.batch, vehicle, node)


def alone(batch: HCVRPBatch, vehicle: Tensor, node: Tensor) -> Tensor:
    """``(B, R, M)``: a vehicle ``(B, R)`` goes to a node, the others stay."""
    stay = node.new_full((*node.shape, batch.num_vehicles), batch.num_tasks + 1)
    return stay.scatter(-1, vehicle[..., None], node[..., None])


def of_vehicle(values: Tensor, vehicle: Tensor) -> Tensor:
    """``(B, R, F)``: of ``(B, R, M, F)`` values those of a vehicle ``(B, R)``."""
    index = vehicle[..., None, None].expand(*vehicle.shape, 1, values.shape[-1])
    return values.gather(-2, index)[..., 0, :]


class VehicleFeatures(NamedTuple):
    """What does not change of the vehicles.

    Capacity over the largest and speed are ``(B, 1, M)``, the largest capacity is ``(B, 1, 1)``.
    """

    capacity: Tensor
    speed: Tensor
    most: Tensor

    @classmethod
    def of(cls, batch: HCVRPBatch) -> VehicleFeatures:
        """Of the instances of a batch."""
        most = batch.capacity.amax(-1, keepdim=True)[:, None]
        return cls((batch.capacity[:, None] / most).float(), batch.speed[:, None], most)

    def at(self, state: HCVRPState) -> Tensor:
        """``(B, R, M, 4)``: elapsed time, capacity, load and speed.

        Loads are over the largest capacity of the instance (published: over 40, the largest that
        is drawn), times in the unit square at the speed of the fastest.
        """
        shape = state.length.shape
        used = self.capacity - (state.left / self.most).float()
        parts = (state.length / self.speed, self.capacity.expand(shape), used)
        return torch.stack([*parts, self.speed.expand(shape)], -1)


NUM_VEHICLE_FEATURES = 4
NUM_NODE_FEATURES = 3


def node_features(batch: HCVRPBatch) -> Tensor:
    """``(B, N + 1, 3)``: place and demand over the largest capacity; the depot is last."""
    demand = (batch.demand / batch.capacity.amax(-1, keepdim=True)).float()
    return torch.cat([batch.places, demand[..., None]], -1)


def as_hcvrp(batch: Batch) -> HCVRPBatch:
    """The batch, for those who can do nothing else."""
    if not isinstance(batch, HCVRPBatch):
        raise TypeError(f"not for {batch.kind}")
    return batch
