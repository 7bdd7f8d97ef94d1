package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

const compileWorkerName = "compile-worker"

// compileWorker returns the command line of a compile worker, or nothing if this program cannot be found: then the
// daemon compiles modules itself.
func compileWorker() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{program, compileWorkerName}
}

// compileWorkerCommand is only for the daemon, which starts it for modules that take long to compile.
func compileWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: compileWorkerName + " DIR", Short: "Compile the module in a directory", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return daemon.CompileWorker(cmd.Context(), args[0]) },
	}
}
