"""The results as Markdown."""

import collections
import re


def row(*cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def counts(results):
    return [len(results), sum(r.loads for r in results), sum(r.runs for r in results), sum(r.known for r in results),
            sum(r.right for r in results), sum(r.verdict == "clean" for r in results), sum(r.verdict == "findings" for r in results)]


def totals(results):
    """The table that README.md shows."""
    lines = [row("source", "kernels", "load", "run", "values known", "right", "no findings", "findings"), row(*["---"] + ["---:"] * 7)]
    for source in dict.fromkeys(r.source for r in results):
        lines.append(row(source, *counts([r for r in results if r.source == source])))
    lines.append(row(*["**all**"] + [f"**{n}**" for n in counts(results)]))
    return "\n".join(lines)


def replace(readme, totals):
    """Put the totals between README.md's two foreign: comments."""
    with open(readme) as f:
        text = f.read()
    text, n = re.subn(r"(<!-- foreign:begin.*?-->\n).*?(\n<!-- foreign:end -->)", lambda m: m[1] + totals + m[2], text, flags=re.S)
    if n != 1:
        raise SystemExit(f"{readme}: want one pair of foreign:begin and foreign:end comments, have {n}")
    with open(readme, "w") as f:
        f.write(text)


def render(results, requirements):
    with open(requirements) as f:
        packages = ", ".join(f.read().split())
    parts = ["# Kernels of other compilers\n\nWritten by `python3 bench/foreign/main.py`; see [README.md](README.md).\n\n" + totals(results)]

    refused, kernels = collections.Counter(), collections.Counter()
    for r in results:
        refused.update(r.refused)
        kernels.update(r.refused.keys())
    lines = ["## Refused instructions\n"]
    if refused:
        lines += [row("instruction", "kernels", "times"), row("---", "---:", "---:")]
        lines += [row(f"`{i}`", kernels[i], n) for i, n in sorted(refused.items(), key=lambda p: (-kernels[p[0]], -p[1], p[0]))]
    parts.append("\n".join(lines if refused else lines + ["None."]))

    lines = ["## Findings\n\nKernels with findings of a kind. Arguments of kernels without known values are placeholders, so what they find may be the placeholders' doing.\n",
             row("source", "kind", "kernels", "of them with known values"), row("---", "---", "---:", "---:")]
    found = collections.Counter((r.source, k) for r in results for k in r.findings)
    known = collections.Counter((r.source, k) for r in results for k in r.findings if r.known)
    lines += [row(s, k, n, known[s, k]) for (s, k), n in sorted(found.items())]
    parts.append("\n".join(lines))

    lines = ["## Without a verdict, or with wrong values\n"]
    bad = [r for r in results if r.verdict != "refused" and (not r.complete or r.known and not r.right)]
    if bad:
        lines += [row("source", "module", "kernel", "what"), row("---", "---", "---", "---")]
        for r in bad:
            what = r.message or ", ".join(sorted(r.findings)) or r.verdict
            lines.append(row(r.source, r.module, f"`{r.name[:60]}`", f"{r.verdict}: {what[:160]}".replace("|", "\\|")))
    else:
        lines.append("None.")
    parts.append("\n".join(lines))
    parts.append("## Packages\n\n" + packages + ".")
    return "\n\n".join(parts) + "\n"
