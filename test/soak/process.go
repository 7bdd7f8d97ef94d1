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
	"strconv"
	"syscall"
	"time"
)

// process is a daemon with a state directory.
type process struct {
	cmd    *exec.Cmd
	url    string
	socket string // of the control API, and of profiles
	state  string // directory
	log    string // file
}

// startProcess starts the binary in a folder and waits for the line that says where it listens.
func startProcess(ctx context.Context, binary, folder string) (_ *process, err error) {
	p := &process{socket: filepath.Join(folder, "control"), state: filepath.Join(folder, "state"), log: filepath.Join(folder, "log")}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("making the log: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }() // the process has a descriptor of its own
	p.cmd = exec.CommandContext(ctx, binary, "start", "--listen", "127.0.0.1:0", "--json", "--state-dir", p.state,
		"--cache-dir", filepath.Join(folder, "cache"), "--control", "unix://"+p.socket, "--checkpoint-bytes", strconv.Itoa(checkpointBytes),
		"--history-records", strconv.Itoa(historyRecordBytes), "--history-checkpoints", strconv.Itoa(historyCheckpointBytes))
	p.cmd.Stderr = log
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
		return nil, p.explain(fmt.Errorf("the daemon does not say where it listens: %w", errors.Join(err, p.cmd.Wait())))
	}
	p.url = ready.URL
	return p, nil
}

// explain adds the end of the log to an error.
func (p *process) explain(err error) error {
	const most = 8 << 10
	text, failed := os.ReadFile(p.log)
	if err == nil || failed != nil {
		return err
	}
	return fmt.Errorf("%w\n%s", err, text[max(0, len(text)-most):])
}

// stop ends the daemon as a user does. A daemon that does not stop is killed.
func (p *process) stop() error {
	const patience = 30 * time.Second
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	killer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer killer.Stop()
	if err := p.cmd.Wait(); err != nil {
		return p.explain(fmt.Errorf("stopping the daemon: %w", err))
	}
	return nil
}
