package build

import (
	"context"
	"os/exec"
	"syscall"
)

// shell returns a command for the shell, which reads the rest of its command line itself.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + command + `"`}
	return cmd
}

// endTogether does nothing: the program alone is ended there.
func endTogether(*exec.Cmd) {}
