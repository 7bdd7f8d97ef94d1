package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// devBench is canisterd dev as a process, in a project whose build copies the edition that the source names.
type devBench struct {
	*testing.B
	*remote.Daemon
	folder  string
	lines   *json.Decoder
	edition uint64
}

func newDevBench(b *testing.B) *devBench {
	b.Helper()
	program, err := binaryOf()
	if err != nil {
		b.Fatal(err)
	}
	d := &devBench{B: b, folder: b.TempDir()}
	d.write("canisterd.yaml", []byte(editedProject))
	d.save()
	cmd := exec.Command(program, "dev", d.folder, "--ephemeral", "--listen", "127.0.0.1:0", "--json")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // Wait says how it ended
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	d.lines = json.NewDecoder(out)
	var uses devDaemon
	if err := d.lines.Decode(&uses); err != nil {
		b.Fatal(err)
	}
	if d.Daemon, err = remote.Dial(uses.URL); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close() })
	d.upgraded()
	return d
}

// write replaces a file of the project.
func (d *devBench) write(name string, content []byte) {
	d.Helper()
	path := filepath.Join(d.folder, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path+"~", content, 0o600)
	}
	if err == nil {
		err = os.Rename(path+"~", path)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// next makes a module of the next edition, and returns its path.
func (d *devBench) next() string {
	d.edition++
	name := fmt.Sprintf("modules/%d.wasm", d.edition)
	d.write(name, editionOf(d.edition, ""))
	return filepath.Join(d.folder, name)
}

// save makes the next edition the current one, and returns when the source was saved.
func (d *devBench) save() time.Time {
	d.next()
	saved := time.Now()
	d.write("src/edition", fmt.Append(nil, d.edition))
	return saved
}

// upgraded waits until dev has deployed the canister.
func (d *devBench) upgraded() {
	for line := (change{}); line.Deployed == nil; {
		line = change{}
		if err := d.lines.Decode(&line); err != nil || line.Error != "" {
			d.Fatal(err, line.Error)
		}
	}
}

// saveLimit is the most that a save may take, in upgrades of a small module.
const saveLimit = 12

// BenchmarkRatioSaveToUpgradedCanister is the time from a save until canisterd dev says that the canister runs the new
// module; the floor is the build alone and an upgrade over the control API. dev waits 10 ms for the end of a save, reads
// all sources and modules before and after the build, and checks the project as deploy does: several times an upgrade of
// a small module, but never more than 100 ms, whatever the build takes, which is next to nothing here. The ratio is 6.5 on
// a quiet machine with two processors; twice of that leaves room for a busy one.
func BenchmarkRatioSaveToUpgradedCanister(b *testing.B) {
	d := newDevBench(b)
	floor := &served{B: b, Daemon: d.Daemon}
	id := floor.deploy(editionOf(0, ""))
	ratio.CompareWithin(b, saveLimit, 100*time.Millisecond, func() time.Duration {
		saved := d.save()
		d.upgraded()
		return time.Since(saved)
	}, func() time.Duration {
		module := d.next()
		begun := time.Now()
		if err := exec.Command("sh", "-c", "cp "+module+" "+filepath.Join(d.folder, "floor.wasm")).Run(); err != nil {
			b.Fatal(err)
		}
		content, err := os.ReadFile(module)
		if err != nil {
			b.Fatal(err)
		}
		floor.install(id, controlv1.InstallMode_INSTALL_MODE_UPGRADE, content)
		return time.Since(begun)
	})
}
