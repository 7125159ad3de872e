package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpusim/docs/schema"
	"gpusim/report"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gpusim": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands there are:
//
//	status N COMMAND...   runs a command that has to end with exit status N; a report in JSON has to match its schema
//	interrupt N ARGS...   runs gpusim and sends it Ctrl-C; its standard output goes to the file interrupted
//	sarif                 compares standard output with the schema of SARIF 2.1.0
//	json PATH VALUE       checks a value of the JSON on standard output; PATH is like findings.0.kind, VALUE is JSON
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"json":      jsonValue,
			"sarif":     validSARIF,
			"interrupt": interrupt,
		},
		Setup: func(e *testscript.Env) error {
			pallas, err := filepath.Abs("../../pallas/testdata")
			if err != nil {
				return err
			}
			e.Setenv("PALLAS", pallas)
			kernels, err := os.ReadDir("testdata/kernels")
			if err != nil {
				return err
			}
			for _, k := range kernels {
				text, err := os.ReadFile("testdata/kernels/" + k.Name())
				if err != nil {
					return err
				}
				if err := os.WriteFile(e.WorkDir+"/"+k.Name(), text, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
	validReport(ts)
}

// reportSchema is the schema of JSON reports, compiled once.
var reportSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Report))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("report.json")
})

// validReport compares standard output with the schema if it is a report in JSON.
func validReport(ts *testscript.TestScript) {
	text := ts.ReadFile("stdout")
	if !strings.HasPrefix(text, "{\n  \"schema\": \""+report.Schema+"\"") {
		return
	}
	s, err := reportSchema()
	ts.Check(err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	ts.Check(err)
	ts.Check(s.Validate(v))
}

func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var tree, want any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &tree))
	ts.Check(json.Unmarshal([]byte(args[1]), &want))
	for key := range strings.SplitSeq(args[0], ".") {
		switch node := tree.(type) {
		case map[string]any:
			v, ok := node[key]
			if !ok {
				ts.Fatalf("no key %s in %s", key, args[0])
			}
			tree = v
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(node) {
				ts.Fatalf("no element %s in %s, which has %d", key, args[0], len(node))
			}
			tree = node[i]
		default:
			ts.Fatalf("%s: nothing below %v", args[0], node)
		}
	}
	if same := fmt.Sprint(tree) == fmt.Sprint(want); same == neg {
		ts.Fatalf("%s is %v, want %v", args[0], tree, want)
	}
}

func validSARIF(ts *testscript.TestScript, neg bool, args []string) {
	r, err := sarif.FromString(ts.ReadFile("stdout"), sarif.WithStrictValidation())
	if err == nil {
		err = r.Validate()
	}
	if (err == nil) == neg {
		ts.Fatalf("SARIF: %v", err)
	}
}
