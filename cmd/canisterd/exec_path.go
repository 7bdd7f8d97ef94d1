package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Exit codes of shells for commands that do not run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// unrunnable is the error for a command that cannot be run.
type unrunnable struct {
	command string
	err     error
}

// Error says why, without the words of the library.
func (u *unrunnable) Error() string {
	switch {
	case u.code() == exitNotFound:
		return fmt.Sprintf("the command %s is not found", u.command)
	case errors.Is(u.err, fs.ErrPermission):
		return fmt.Sprintf("the command %s is not executable", u.command)
	}
	return fmt.Sprintf("the command %s cannot be executed: %v", u.command, u.err)
}

// code returns the exit code of shells.
func (u *unrunnable) code() int {
	if errors.Is(u.err, exec.ErrNotFound) || errors.Is(u.err, fs.ErrNotExist) {
		return exitNotFound
	}
	return exitNotExecutable
}

// pathVariable is the environment variable with the folders of commands.
const pathVariable = "PATH"

// withOwnFolder returns an environment in which canisterd is found: the folder of this program comes last.
func withOwnFolder(environment []string) []string {
	own, err := os.Executable()
	if err != nil {
		return environment
	}
	path := os.Getenv(pathVariable)
	if path != "" {
		path += string(filepath.ListSeparator)
	}
	return append(environment, pathVariable+"="+path+filepath.Dir(own))
}

// found returns the path of a command, by the environment of it.
func found(command string, environment []string) (string, error) {
	if filepath.Base(command) != command {
		return command, nil
	}
	var denied error
	path := ""
	for _, variable := range environment { // the last one counts
		if value, is := strings.CutPrefix(variable, pathVariable+"="); is {
			path = value
		}
	}
	for _, folder := range filepath.SplitList(path) {
		if folder == "" {
			folder = "."
		}
		at, err := exec.LookPath(filepath.Join(folder, command))
		if err == nil {
			return at, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied == nil {
		denied = exec.ErrNotFound
	}
	return "", &unrunnable{command, denied}
}
