"""Reports of gpusim as objects."""

import dataclasses
import re
from typing import Any


@dataclasses.dataclass(frozen=True)
class Finding:
  """Something that is wrong with a kernel; `raw` has all fields of the report."""

  kind: str
  severity: str
  message: str
  missing: str
  fix: str
  object: str
  places: tuple[tuple[str, int], ...]  # file and line of each access or wait
  raw: dict[str, Any]

  @classmethod
  def of(cls, raw: dict[str, Any]) -> "Finding":
    places = tuple((a["file"], a["line"]) for a in raw["accesses"] + raw["waits"] if a["file"])
    return cls(raw["kind"], raw["severity"], raw["message"], raw["missing"], raw["fix"], raw["object"], places, raw)

  def __str__(self) -> str:
    lines = [f"{self.severity}: {self.kind}: {self.message}"]
    if self.object and self.object not in self.message:  # JAX's texts say numbers of barriers, and not names
      lines.append(f"  object: {self.object}")
    lines += [f"  at {file}:{line}" for file, line in self.places]
    if self.missing:
      lines.append(f"  missing: {self.missing}")
    if self.fix:
      lines.append(f"  fix: {self.fix}")
    return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Report:
  """What gpusim found in the kernels of a call."""

  findings: tuple[Finding, ...]
  reports: tuple[dict[str, Any], ...]  # of each kernel, as gpusim wrote it
  result: Any = None

  @property
  def races_found(self) -> bool:
    return any(f.kind == "data-race" for f in self.findings)

  def __str__(self) -> str:
    return "\n".join(map(str, self.findings)) or "no findings"


# Findings of these kinds do not keep a kernel from having a result.
_HARMLESS = {"data-race", "uninitialized-read"}


def _by(finding: dict[str, Any]) -> str:
  """Which of several threads has failed, as JAX says it."""
  if not finding["accesses"]:
    return ""
  a = finding["accesses"][0]
  return f" Computation failed on Warpgroup(device_id={a['device']}, block_id={a['block'][0]}, warpgroup_id={a['thread'][0]})"


def _where(finding: dict[str, Any]) -> str:
  """The name and the place that a message of JAX's lacks."""
  parts = [finding["object"]] if finding["object"] and finding["object"] not in finding["message"] else []
  parts += [f"{a['file']}:{a['line']}" for a in finding["accesses"][:1] if a["file"] and f"{a['file']}:{a['line']}" not in finding["message"]]
  return f" ({', '.join(parts)})" if parts else ""


def _as_jax(message: str) -> str:
  """A message whose buffer is called what JAX calls one, because people search for JAX's text."""
  return re.sub(r"^(Out-of-bounds \w+ of )([^:]+):", r"\1HostAllocationKey(\2):", message)


class KernelError(RuntimeError):
  """A kernel that left no result: a deadlock, misuse of a barrier, an index out of bounds.

  `report` is the report of the run, as gpusim wrote it; `findings` are its findings.
  """

  def __init__(self, message: str, report: dict[str, Any]):
    super().__init__(message)
    self.report = report

  @classmethod
  def of(cls, report: dict[str, Any], stopped: str = "") -> "KernelError":
    """The error of a run that did not come to its end."""
    errors = [f for f in report["findings"] if f["severity"] == "error"]
    fatal = [f for f in errors if f["kind"] not in _HARMLESS] or errors
    many = any(n > 1 for launch in report["launches"] for n in launch["block"])
    text = "; ".join(f"{f['kind']}: {_as_jax(f['message'])}{_by(f) if many else ''}{_where(f)}" for f in fatal)
    return cls(text or stopped or "the kernel did not run to its end", report)

  @property
  def findings(self) -> tuple[Finding, ...]:
    return tuple(Finding.of(f) for f in self.report["findings"])

  def __reduce__(self):
    return type(self), (self.args[0], self.report)
