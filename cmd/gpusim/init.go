package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpusim/compile"
	"gpusim/launch"
)

func (a *app) initCommand() *cobra.Command {
	var kernel, output string
	var compiler compile.Options
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a launch file for a kernel, to be filled in",
		Long: "Write a launch file for a kernel of a program, with a buffer or a value for every parameter.\n\n" +
			"Types come from the kernel's C++ name and from what it does with its parameters; sizes, values and\n" +
			"extents are placeholders. The file runs as it is. A file that exists is not overwritten.",
		Args:              oneFile,
		ValidArgsFunction: files("ptx", "cu", "cl"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, compiler.Flags = splitArgs(cmd, args)
			return a.writeStarter(args[0], kernel, output, compiler)
		},
	}
	cmd.Flags().StringVar(&kernel, "kernel", "", "kernel of the program: its PTX or C++ name; default: the only one")
	mustComplete(cmd, "kernel", kernelNames)
	cmd.Flags().StringVar(&output, "output", "", "file to write (default standard output)")
	compilerFlags(cmd.Flags(), &compiler)
	complete(cmd, "arch", archs...)
	return cmd
}

func (a *app) writeStarter(file, name, output string, o compile.Options) error {
	program, err := launch.Inspect(file, o)
	if err != nil {
		return err
	}
	k, err := program.Find(name)
	if err != nil {
		return err
	}
	if output == "" {
		_, err := io.WriteString(a.stdout, program.Starter(k, filepath.Base(file)))
		return err
	}
	relative, err := relativePath(filepath.Dir(output), file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("--output %s: the file exists and is not overwritten", output)
	case err != nil:
		return fmt.Errorf("--output %w", err)
	}
	_, err = io.WriteString(f, program.Starter(k, relative))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// relativePath is a file's path as a launch file in dir has to write it.
func relativePath(dir, file string) (string, error) {
	if filepath.IsAbs(file) {
		return file, nil
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.Rel(from, to)
	return filepath.ToSlash(path), err
}
