package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpusim/docs/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema launch|report",
		Short: "Print the JSON Schema of launch files or of reports",
		Long: "Print the JSON Schema (draft 2020-12) of launch files or of JSON reports, for editors and scripts.\n\n" +
			"Editors with a YAML language server take it from a comment at the top of a launch file:\n" +
			"# yaml-language-server: $schema=launch.schema.json",
		ValidArgs: []string{"launch", "report"},
		RunE: func(cmd *cobra.Command, args []string) error {
			texts := map[string][]byte{"launch": schema.Launch, "report": schema.Report}
			switch text, ok := texts[strings.Join(args, " ")]; {
			case ok:
				_, err := a.stdout.Write(text)
				return err
			case len(args) == 0:
				return usageError{fmt.Errorf("one of launch, report is expected; usage: %s", cmd.UseLine())}
			}
			return usageError{fmt.Errorf("one of launch, report is expected, not %s", strings.Join(args, " "))}
		},
	}
}
