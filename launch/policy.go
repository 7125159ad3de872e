package launch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpusim/kernel"
)

// Policy overrides the severity of kinds of findings. Off drops them.
type Policy map[kernel.Kind]kernel.Severity

// apply changes severities and drops what is off.
func (p Policy) apply(list []kernel.Finding) []kernel.Finding {
	out := list[:0]
	for _, f := range list {
		if s, ok := p[f.Kind]; ok {
			f.Severity = s
		}
		if f.Severity != kernel.Off {
			out = append(out, f)
		}
	}
	return out
}

// Severities are the severities by their words.
var Severities = map[string]kernel.Severity{"error": kernel.Error, "warning": kernel.Warning, "info": kernel.Info, "off": kernel.Off}

// ParseKind finds a kind of findings by its name; race and uninit stand for two of them.
func ParseKind(name string) (kernel.Kind, error) {
	switch name {
	case "race":
		return kernel.DataRace, nil
	case "uninit":
		return kernel.UninitializedRead, nil
	}
	names := make([]string, len(kernel.Kinds))
	for i, k := range kernel.Kinds {
		if string(k) == name {
			return k, nil
		}
		names[i] = string(k)
	}
	return "", fmt.Errorf("unknown kind of finding %q; known: %s", name, strings.Join(names, ", "))
}

// ParsePolicy reads severities by the names of kinds.
func ParsePolicy(words map[string]string) (Policy, error) {
	p := Policy{}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		k, err := ParseKind(name)
		if err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
		s, ok := Severities[words[name]]
		if !ok {
			return nil, fmt.Errorf("policy %s=%s: error, warning, info or off is expected", name, words[name])
		}
		p[k] = s
	}
	return p, nil
}
