#!/usr/bin/env python3
"""Rewrites the reports that the examples' READMEs quote, from what gpusim says now.

    examples/reports.py path/to/gpusim

A README quotes the first finding of `gpusim check racy.yaml` and the summary, in its only code fence.
Of the Pallas kernels the whole reports are kept beside the programs, and pallas/README.md has a table.
"""

import ast
import glob
import json
import os
import re
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
gpusim = os.path.abspath(sys.argv[1])


def check(file, *flags):
    """Runs a file and returns its exit status and what is printed."""
    run = subprocess.run([gpusim, "check", "--quiet", *flags, file], cwd=root, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit("%s: exit status %d: %s" % (file, run.returncode, run.stderr))
    return run.returncode, run.stdout


def quote(report):
    """The first finding of a report and the summary."""
    parts = report.rstrip("\n").split("\n\n")
    findings = [p for p in parts if re.match(r"(error|warning|info)\[", p)]
    return "```\n" + "\n\n".join([findings[0]] + ["..."] * (len(findings) > 1) + [parts[-1]]) + "\n```\n"


for readme in sorted(glob.glob(os.path.join(root, "examples", "*", "README.md"))):
    if readme.endswith("pallas/README.md"):
        continue
    folder = os.path.relpath(os.path.dirname(readme), root)
    status, report = check(folder + "/racy.yaml")
    if status != 1:
        sys.exit("%s: nothing is found" % folder)
    with open(readme) as f:
        text = f.read()
    text = re.sub(r"```\n.*?```\n", lambda _: quote(report), text, flags=re.S)
    with open(readme, "w") as f:
        f.write(text)


def variants(kernel):
    """The VARIANTS of a kernel.py, which cannot be imported without JAX."""
    with open(kernel) as f:
        tree = ast.parse(f.read())
    return next(ast.literal_eval(a.value) for a in tree.body if isinstance(a, ast.Assign) and getattr(a.targets[0], "id", "") == "VARIANTS")


def says(file):
    """What the worst finding of a program is, in a few words."""
    findings = json.loads(check(file, "--format", "json")[1])["findings"]
    f = min(findings, key=lambda f: ["error", "warning", "info"].index(f["severity"]))
    lines = sorted({p["line"] for p in f["accesses"] + f["waits"] if p["file"]})
    what = "missing: " + f["missing"] if f["missing"] else re.sub(r"; .*", "; ...", f["message"])
    return "`%s` at line%s %s: %s" % (f["kind"], "s" * (len(lines) > 1), " and ".join(map(str, lines)), what)


pallas = os.path.join(root, "examples", "pallas")
table = ["| kernel | variant | what is wrong | what gpusim says first |", "|---|---|---|---|"]
for kernel in sorted(glob.glob(os.path.join(pallas, "*", "kernel.py"))):
    name = os.path.basename(os.path.dirname(kernel))
    for variant, wrong in variants(kernel).items():
        file = "examples/pallas/%s/%s.json" % (name, variant)
        status, report = check(file)
        if (status == 0) != (variant == "fixed"):
            sys.exit("%s: exit status %d" % (file, status))
        with open(os.path.join(root, file[:-5] + ".txt"), "w") as f:
            f.write(report)
        if variant != "fixed":
            table.append("| [%s](%s) | [%s](%s/%s.txt) | %s | %s |" % (name, name, variant, name, variant, wrong, says(file)))
with open(os.path.join(pallas, "README.md")) as f:
    text = f.read()
text = re.sub(r"\| kernel \|.*?\n\n", lambda _: "\n".join(table) + "\n\n", text, flags=re.S)
text = re.sub(r"```\n.*?```\n", lambda _: quote(check("examples/pallas/warp_specialized_matmul/released_early.json")[1]), text, flags=re.S)
with open(os.path.join(pallas, "README.md"), "w") as f:
    f.write(text)
