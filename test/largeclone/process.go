package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// process is a daemon.
type process struct {
	cmd *exec.Cmd
	url string
}

// startProcess starts the binary and waits for the line that says where it listens.
func startProcess(ctx context.Context, binary, folder string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, binary, "start", "--listen", "127.0.0.1:0", "--json", "--ephemeral", "--cache-dir", filepath.Join(folder, "cache"))}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the daemon: %w", err)
	}
	var ready struct {
		URL string `json:"url"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		_ = p.cmd.Process.Kill()
		return nil, fmt.Errorf("the daemon does not say where it listens: %w", errors.Join(err, p.cmd.Wait()))
	}
	p.url = ready.URL
	return p, nil
}

// stop ends the daemon as a user does.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("stopping the daemon: %w", err)
	}
	return nil
}
