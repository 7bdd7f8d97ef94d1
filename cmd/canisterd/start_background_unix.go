//go:build unix

package main

import "syscall"

// detached makes a process lead a session of its own: it has no terminal, and gets no signal of this one's.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
