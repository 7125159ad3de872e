package main

import (
	"os"
	"os/signal"
	"time"

	"github.com/pbnjay/memory"
	"github.com/spf13/cobra"

	"gpusim/serve"
)

// serveCommand is for programs, not for people: gpusim_jax talks to it.
func (a *app) serveCommand() *cobra.Command {
	var parent int
	cmd := &cobra.Command{
		Use:    "serve",
		Short:  "Run Pallas programs for another process, over standard input and output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			signal.Ignore(os.Interrupt) // a Ctrl-C is the other process's
			if parent != 0 {
				go exitWithParent(parent)
			}
			return serve.Serve(os.Stdin, a.stdout, a.stderr, int64(memory.TotalMemory()/4*3))
		},
	}
	cmd.Flags().IntVar(&parent, "parent", 0, "process whose end ends this one")
	return cmd
}

// exitWithParent ends the process when its parent has died. The end of standard input says
// so too, unless a child of the parent has inherited the other end.
func exitWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(0)
}
