package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/canisterd/canisterd/canister"
)

// workerModule is the file with the module to compile, in the folder of a compile worker.
const workerModule = "module.wasm"

// compileWorker compiles modules in processes of this program. Each exits after one module, which frees its memory.
type compileWorker struct {
	command []string
	wall    time.Duration // after which a process is killed
}

func newCompileWorker(command []string) *compileWorker {
	return &compileWorker{command: command, wall: maxCompileWall}
}

// compile runs one process, and kills it when the context ends or its time is up.
func (w *compileWorker) compile(ctx context.Context, dir string, binary []byte) error {
	module := filepath.Join(dir, workerModule)
	if err := os.WriteFile(module, binary, 0o600); err != nil {
		return fmt.Errorf("hand a module to the compile worker: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, w.wall)
	defer cancel()
	cmd := exec.CommandContext(limited, w.command[0], append(w.command[1:], dir)...)
	cmd.Env = []string{} // hides the daemon's secrets from it
	said := &headWriter{room: maxWorkerText}
	cmd.Stderr = said
	// The worker exits at the end of its standard input, which the system closes if the daemon dies.
	alive, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the compile worker: %w", err)
	}
	err = errors.Join(cmd.Run(), ignoreClosed(alive.Close()))
	switch {
	case err == nil:
		return os.Remove(module)
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("compiling the module took longer than %s: the machine is busy, or the module's functions are too complex", w.wall)
	case strings.Contains(said.String(), "out of memory") || strings.Contains(said.String(), "cannot allocate memory"):
		return fmt.Errorf("compiling the module takes more than the %d MiB of memory that a compile worker may use: break large functions up", maxWorkerMemory>>20)
	case said.String() == "":
		return fmt.Errorf("run the compile worker %s: %w", w.command[0], err)
	}
	first, _, _ := strings.Cut(said.String(), "\n")
	return fmt.Errorf("the compile worker failed (%w): %s", err, first)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// CompileWorker is the main function of a compile worker: it compiles the module in a folder, within a memory limit,
// and exits at the end of its standard input.
func CompileWorker(ctx context.Context, dir string) error {
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(1)
	}()
	limitWorker()
	binary, err := os.ReadFile(filepath.Join(dir, workerModule))
	if err != nil {
		return fmt.Errorf("read the module to compile: %w", err)
	}
	return canister.CompileInto(ctx, dir, binary, runtime.NumCPU())
}

// headWriter keeps the first bytes written. It does not embed bytes.Buffer, because io.Copy would call ReadFrom instead
// of Write.
type headWriter struct {
	kept bytes.Buffer
	room int
}

// String returns the kept bytes.
func (w *headWriter) String() string { return w.kept.String() }

func (w *headWriter) Write(p []byte) (int, error) {
	kept := p[:min(len(p), w.room)]
	w.room -= len(kept)
	_, err := w.kept.Write(kept)
	return len(p), err
}
