package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpusim/bench/table"
)

// peerPackages are the Debian packages of the peers and of what the host program needs.
var peerPackages = []string{"gcc", "libc6-dev", "oclgrind", "pocl-opencl-icd", "ocl-icd-opencl-dev", "clinfo"}

// peerVersions says which versions are installed, or what to install.
func peerVersions(ctx context.Context) ([]string, error) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		return nil, errors.New("the benchmark runs its peers from Debian's packages, and dpkg-query is not there")
	}
	var versions, missing []string
	for _, name := range peerPackages {
		p, err := start(ctx, nil, "dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", name)
		version, installed := strings.CutPrefix(p.stdout, "installed ")
		if err != nil || !installed {
			missing = append(missing, name)
			continue
		}
		if name == "oclgrind" || name == "pocl-opencl-icd" {
			versions = append(versions, name+" "+version)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the peers are not complete; as root: apt-get install -y %s", strings.Join(missing, " "))
	}
	p, err := start(ctx, nil, "clinfo", "-l")
	if err != nil {
		return nil, err
	}
	if !strings.Contains(p.stdout, poclPlatform) {
		return nil, fmt.Errorf("clinfo does not list PoCL:\n%s", p.stdout)
	}
	return versions, nil
}

const poclPlatform = "Portable Computing Language"

// oneUnit limits PoCL to one compute unit: the first variable up to version 3, the second
// from 4 on.
var oneUnit = []string{"POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1", "OCL_ICD_VENDORS=pocl.icd"}

// buildHost compiles the OpenCL host program.
func (b *bench) buildHost(ctx context.Context) error {
	b.host = filepath.Join(b.dir, "clrun")
	_, err := start(ctx, nil, "gcc", "-O2", "-Wall", "-o", b.host, filepath.Join(b.root, "bench", "host", "clrun.c"), "-lOpenCL", "-lm")
	return err
}

var clrunOutput = regexp.MustCompile(`^platform (.*)\nunits (\d+)\nnanoseconds (\d+)\n$`)

// pocl is the best kernel time on one compute unit, in one process: an untimed execution
// comes first, because PoCL compiles for a work-group size at its first use.
func (b *bench) pocl(ctx context.Context, f *launchFile, cl string) (time.Duration, error) {
	args, err := f.clrun(filepath.Join(b.root, "bench", "kernels", cl), b.dir, max(b.repetitions, 2))
	if err != nil {
		return 0, err
	}
	p, err := start(ctx, oneUnit, b.host, args...)
	if err != nil {
		return 0, err
	}
	m := clrunOutput.FindStringSubmatch(p.stdout)
	if m == nil || m[1] != poclPlatform || m[2] != "1" {
		return 0, fmt.Errorf("not PoCL on one compute unit:\n%s", p.stdout)
	}
	ns, err := strconv.ParseInt(m[3], 10, 64)
	return time.Duration(ns), err
}

// oclgrind is the median wall of the whole process with both detectors and its default
// threads.
func (b *bench) oclgrind(ctx context.Context, f *launchFile, cl string) (table.Peer, error) {
	args, err := f.clrun(filepath.Join(b.root, "bench", "kernels", cl), b.dir, 1)
	if err != nil {
		return table.Peer{}, err
	}
	args = append([]string{"--data-races", "--uninitialized", b.host}, args...)
	var walls []time.Duration
	var peer table.Peer
	for range b.oclgrindRuns {
		p, err := start(ctx, nil, "oclgrind", args...)
		if err != nil {
			return table.Peer{}, err
		}
		if m := clrunOutput.FindStringSubmatch(p.stdout); m == nil || m[1] != "Oclgrind" {
			return table.Peer{}, fmt.Errorf("not Oclgrind:\n%s", p.stdout)
		}
		walls = append(walls, p.wall)
		peer.Reports = strings.Count(p.stderr, "\n\tKernel: ")
	}
	slices.Sort(walls)
	peer.Wall = walls[len(walls)/2]
	return peer, nil
}
