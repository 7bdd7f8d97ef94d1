package main

import "syscall"

// detachedProcess is DETACHED_PROCESS of the Windows API: the process has no console.
const detachedProcess = 0x00000008

// detached makes a process lead a group of its own without a console: it gets no Ctrl-C of this one's.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
