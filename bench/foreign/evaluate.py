"""Runs every collected kernel with gpusim, and counts."""

import collections
import glob
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

# Runs that take longer than this many seconds, or instructions, end without a verdict.
SECONDS = 60
INSTRUCTIONS = 50_000_000
# Modules of warp-lang have up to a hundred kernels: so many are taken of each, evenly spread.
KERNELS_OF_A_MODULE = {"warp": 8}


def call(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None


class Result:
    """What became of one kernel."""

    def __init__(self, source, module, name):
        self.source, self.module, self.name = source, module, name
        self.loads = False      # the file parses and no instruction that the kernel can reach is refused
        self.refused = {}       # instruction: count
        self.verdict = ""       # clean, findings, incomplete, refused, error, slow
        self.known = False      # the right values are known
        self.complete = False   # all launches ended by themselves
        self.findings = collections.Counter()
        self.message = ""

    @property
    def runs(self):
        return self.complete

    @property
    def right(self):
        return self.known and self.complete and "wrong-result" not in self.findings


def listing(gpusim, ptx):
    """The kernels of a PTX file as `gpusim ptx` tells, or its error."""
    out = call(gpusim, "ptx", "--format", "json", ptx)
    if out is None:
        return None, "slow: gpusim ptx"
    if out.returncode != 0:
        return None, out.stderr.strip()
    return json.loads(out.stdout)["kernels"], ""


def reason(text):
    """An error without what differs from file to file."""
    lines = [l for l in text.splitlines() if l.strip()]
    line = lines[0] if lines else "no message"
    return re.sub(r"^(gpusim: )?\S*?(kernel|init)\S*\.(ptx|yaml)(:\d+)*: ", "", line)


def unsupported(kernel):
    """The refused instructions of a listed kernel, as {instruction: count}."""
    counts = collections.Counter()
    for u in kernel.get("unsupported") or []:
        counts[re.split(r"[\s{]", u["instruction"])[0]] += 1
    return counts


def run_kernel(gpusim, folder, result, listed, extra):
    result.refused = unsupported(listed)
    result.loads = not result.refused
    if result.refused:
        result.verdict = "refused"
        return
    launch = os.path.join(folder, result.name + ".yaml")
    if len(result.name) >= 80 and os.path.exists(os.path.join(folder, "kernel.yaml")):
        launch = os.path.join(folder, "kernel.yaml")
    if os.path.exists(launch):
        with open(launch) as f:
            result.known = "\nexpect: {}" not in f.read()
    else:
        launch = os.path.join(folder, f"init.{listed['line']}.yaml")
        if os.path.exists(launch):
            os.remove(launch)
        made = call(gpusim, "init", os.path.join(folder, "kernel.ptx"), "--kernel", result.name, "--output", launch)
        if made is None or made.returncode != 0:
            result.verdict, result.message = "error", "init: " + reason(made.stderr if made else "slow")
            return
    out = call(gpusim, "check", "--quiet", "--format", "json", "--max-instructions", str(INSTRUCTIONS), *extra, launch)
    if out is None:
        result.verdict = "slow"
        return
    if out.returncode in (2, 3):
        result.verdict, result.message = "error", reason(out.stderr)
        return
    report = json.loads(out.stdout)
    result.verdict = {0: "clean", 1: "findings", 4: "incomplete"}[out.returncode]
    result.complete = report["complete"]
    for finding in report["findings"]:
        if finding["severity"] == "error":
            result.findings[finding["kind"]] += 1
    if result.verdict == "incomplete":
        result.message = reason("; ".join(report.get("errors") or []))


def run_module(gpusim, source, folder, extra):
    module = os.path.basename(folder)
    ptx = os.path.join(folder, "kernel.ptx")
    kernels, message = listing(gpusim, ptx)
    results = []
    if kernels is None:
        with open(ptx, errors="replace") as f:
            names = re.findall(r"\.entry\s+([\w$]+)", f.read())
        for name in names:
            r = Result(source, module, name)
            r.verdict, r.message = "error", "load: " + reason(message)
            results.append(r)
        return results
    most = KERNELS_OF_A_MODULE.get(source, len(kernels)) or 1
    for listed in kernels[:: max(1, -(-len(kernels) // most))]:
        r = Result(source, module, listed["ptx_name"])
        run_kernel(gpusim, folder, r, listed, extra)
        results.append(r)
    return results


def run_all(gpusim, root, jobs=2, extra=()):
    """The results of all kernels of one source, in order."""
    folders = sorted(os.path.dirname(p) for p in glob.glob(os.path.join(root, "*", "kernel.ptx")))
    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(run_module, gpusim, os.path.basename(root), f, extra) for f in folders]
        return [r for t in tasks for r in t.result()]
