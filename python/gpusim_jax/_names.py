"""Where things stand in the user's program, and what they are called there."""

import ast
import functools
import linecache
import re
from typing import Any

from jax._src import source_info_util


class Sources:
  """Places in the user's program, numbered."""

  def __init__(self):
    self.places: list[list[Any]] = []
    self._ids: dict[tuple[Any, ...], int] = {}
    self._outer: list[tuple[int, bool]] = []  # enclosing calls, and whether their functions are JAX's own

  def of(self, eqn) -> int:
    """The place of an equation: the user's innermost line, or that of the call if JAX traced the function by itself."""
    if self._outer and self._outer[-1][1]:
      return self._outer[-1][0]
    frame = source_info_util.user_frame(eqn.source_info.traceback)
    if frame is None:
      return self._outer[-1][0] if self._outer else self.number("", 0, "")
    return self.number(frame.file_name, frame.start_line, frame.function_name)

  def number(self, *key) -> int:
    if key not in self._ids:
      self._ids[key] = len(self.places)
      self.places.append(list(key))
    return self._ids[key]

  def enter(self, eqn, jaxpr=None) -> None:
    """Begins what stands inside of an equation.

    A function of JAX's own is traced once for all its uses, so that its equations name the first of them.
    """
    own = bool(self._outer) and self._outer[-1][1] or jaxpr is not None and _is_jax(jaxpr)
    self._outer.append((self.of(eqn), own))

  def leave(self) -> None:
    self._outer.pop()


def _location(jaxpr) -> tuple[str, int] | None:
  """The file and line of the function that a jaxpr was traced from."""
  info = jaxpr.debug_info
  match = re.search(r" at (.*):(\d+)$", (info.func_src_info or "") if info else "")
  return (match[1], int(match[2])) if match else None


def _is_jax(jaxpr) -> bool:
  at = _location(jaxpr)
  return at is not None and not source_info_util.is_user_filename(at[0])


@functools.lru_cache(maxsize=64)
def _functions(file: str) -> dict[int, list[tuple[str, list[str]]]]:
  """The names of a file's functions and of their positional parameters, by the line on which each begins."""
  try:
    tree = ast.parse("".join(linecache.getlines(file)))
  except (SyntaxError, ValueError):
    return {}
  found: dict[int, list[tuple[str, list[str]]]] = {}
  for node in ast.walk(tree):
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
      first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
      found.setdefault(first, []).append((getattr(node, "name", ""), [a.arg for a in node.args.posonlyargs + node.args.args]))
  return found


def _function(jaxpr) -> tuple[str, list[str]] | None:
  """The function that a jaxpr was traced from; of two in one line nobody knows which."""
  at = _location(jaxpr)
  found = _functions(at[0]).get(at[1], []) if at else []
  return found[0] if len(found) == 1 else None


def function(jaxpr) -> str | None:
  """The name of the function that a jaxpr was traced from."""
  found = _function(jaxpr)
  return found[0] if found else None


def parameters(jaxpr) -> list[str] | None:
  """The names of the positional parameters of the function that a jaxpr was traced from."""
  found = _function(jaxpr)
  return found[1] if found else None


def place(jaxpr) -> tuple[str, int, str] | None:
  """Where the user's function begins that a jaxpr was traced from."""
  at = _location(jaxpr)
  return None if at is None or _is_jax(jaxpr) else (*at, function(jaxpr) or "")


def clean(name: str | None) -> str:
  """A name of an argument as JAX shows it, as a name."""
  name = (name or "").replace("['", ".").replace("']", "")
  return re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")


class Unique:
  """Names that are not used twice."""

  def __init__(self):
    self._used: set[str] = set()

  def __call__(self, name: str) -> str:
    base, n = name, 1
    while name in self._used:
      n += 1
      name = f"{base}_{n}"
    self._used.add(name)
    return name
