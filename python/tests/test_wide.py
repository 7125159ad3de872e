"""What JAX's own interpreter does not support: values are compared with numpy's."""

import gpusim_jax
import jax
import numpy as np
import pytest
import wide


@pytest.mark.parametrize("name", wide.CASES)
def test_value(name):
  case = wide.CASES[name]
  with gpusim_jax.install():
    if case.error:
      with pytest.raises(gpusim_jax.KernelError) as raised:
        jax.block_until_ready(case.run())
      assert case.error in str(raised.value)
      return
    got = jax.tree.leaves(case.run())
    want = case.want()
    for g, w in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
      np.testing.assert_array_equal(np.asarray(g), np.asarray(w))
    report = gpusim_jax.last_report()
    races = [f["message"] for f in report["findings"] if f["kind"] == "data-race"]
    assert bool(races) == case.race, races
    if case.output:
      assert report["output"] == case.output
