package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpusim/internal/explain"
	"gpusim/kernel"
	"gpusim/launch"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "explain [KIND]",
		Short:             "Say what a kind of finding means and how to fix it",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: kindNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, k := range kernel.Kinds {
					if _, err := fmt.Fprintf(a.stdout, "%-20s %s\n", k, explain.Summary(k)); err != nil {
						return err
					}
				}
				return nil
			}
			k, err := launch.ParseKind(args[0])
			if err != nil {
				return usageError{err}
			}
			text, ok := explain.Kind(k)
			if !ok {
				return fmt.Errorf("there is no explanation of %s", k)
			}
			_, err = fmt.Fprint(a.stdout, text)
			return err
		},
	}
}

// kindNames completes the one argument of explain.
func kindNames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, k := range kernel.Kinds {
		if len(args) == 0 {
			out = append(out, cobra.CompletionWithDesc(string(k), explain.Summary(k)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
