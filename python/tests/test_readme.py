"""The README's kernel prints what the README says."""

import pathlib
import re
import subprocess
import sys

import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="there is no README beside the package")
def test_readme(tmp_path):
  section = README.read_text().split("\n## Pallas\n")[1].split("\n## ")[0]
  blocks = re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)
  script = next(text for kind, text in blocks if kind == "python" and "check(" in text)
  want = next(text for kind, text in blocks if kind == "text")
  (tmp_path / "scale.py").write_text(script)
  done = subprocess.run([sys.executable, str(tmp_path / "scale.py")], capture_output=True, text=True, check=False)
  assert done.returncode == 0, done.stderr
  assert done.stdout.replace(str(tmp_path), "/home/me") == want
