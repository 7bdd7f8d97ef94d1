//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroup gives a command a process group of its own. The function it returns kills what is left of the group: a
// mutated compile worker outlived its test and took a processor for an hour and a half.
func inGroup(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill = func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error says that the group is empty
		}
	}
	cmd.Cancel = func() error { kill(); return nil }
	return kill
}
