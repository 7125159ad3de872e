#!/usr/bin/env python3
"""Rewrites the reports that the examples' READMEs quote, from what gpusim says now.

    examples/reports.py path/to/gpusim

A README quotes the first finding of `gpusim check racy.yaml` and the summary, in its only code fence.
"""

import glob
import os
import re
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
gpusim = os.path.abspath(sys.argv[1])

for readme in sorted(glob.glob(os.path.join(root, "examples", "*", "README.md"))):
    folder = os.path.relpath(os.path.dirname(readme), root)
    run = subprocess.run([gpusim, "check", "--quiet", folder + "/racy.yaml"], cwd=root, capture_output=True, text=True)
    if run.returncode != 1:
        sys.exit("%s: exit status %d: %s" % (folder, run.returncode, run.stderr))
    parts = run.stdout.rstrip("\n").split("\n\n")
    findings = [p for p in parts if re.match(r"(error|warning|info)\[", p)]
    quoted = [findings[0]] + ["..."] * (len(findings) > 1) + [parts[-1]]
    with open(readme) as f:
        text = f.read()
    text = re.sub(r"```\n.*?```\n", lambda _: "```\n" + "\n\n".join(quoted) + "\n```\n", text, flags=re.S)
    with open(readme, "w") as f:
        f.write(text)
