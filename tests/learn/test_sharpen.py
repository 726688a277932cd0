"""Sharper networks prefer the same, by more."""

import pytest
import torch
from geopar.learn.sharpen import sharpened

from midway import midway, policy_for


@pytest.mark.parametrize("setting", ["hcvrp/12/3", "omdcpdp/12/3"])
@pytest.mark.parametrize("pointer", [True, False])
def test_every_logit_is_multiplied(setting, pointer):
    policy = policy_for(setting.partition("/")[0], pointer=pointer)
    encoded, state = midway(policy, setting, 3)
    sharp = sharpened(policy, 3.0)
    with torch.no_grad():
        before = policy.logits(encoded, state).logits
        after = sharp.logits(sharp.encode(encoded.environment), state).logits
    allowed = before > -torch.inf
    assert torch.equal(after > -torch.inf, allowed)
    torch.testing.assert_close(after[allowed], 3.0 * before[allowed], rtol=1e-4, atol=1e-4)
    assert sharp.config.clip == 3.0 * policy.config.clip
