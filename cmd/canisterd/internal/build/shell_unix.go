//go:build unix

package build

import (
	"context"
	"os/exec"
	"syscall"
)

// shell returns a command for the shell.
func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", command)
}

// endTogether makes the end of the context reach the programs that a program has started: all are in one group.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
