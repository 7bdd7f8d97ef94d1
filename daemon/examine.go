package daemon

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/canister"
)

// Health is the state of something that was checked.
type Health uint8

// The states of health. The zero value is good.
const (
	OK      Health = iota
	Warning        // works, worse than it could
	Failed         // does not work
)

// String returns the name of the state.
func (h Health) String() string { return [...]string{"ok", "warning", "failed"}[h] }

// MarshalText returns the name.
func (h Health) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// Finding is the result of a check of the machine, and advice.
type Finding struct {
	Check  string `json:"check"`
	Health Health `json:"health"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// Examine checks whether this machine has what a daemon with this configuration needs, and what slows it down.
func Examine(config Config) []Finding {
	findings := []Finding{
		{Check: "version", Found: fmt.Sprintf("canisterd %s, %s, %s/%s, %d processors", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())},
		examineHeaps(),
	}
	findings = append(findings, examineLimits()...)
	listen := config.Listen
	config.Listen = listen
	config, err := config.withDefaults()
	if err != nil {
		return append(findings, Finding{Check: "directories", Health: Failed, Found: err.Error(), Advice: "make the directory writable, or name another with --cache-dir or --state-dir"})
	}
	if config.CacheDir == "" {
		findings = append(findings, Finding{Check: "compiled modules", Health: Warning, Found: "no directory that only this user can write", Advice: "set HOME, or name a directory with --cache-dir"})
	} else {
		findings = append(findings, examineFolder("compiled modules", config.CacheDir))
	}
	if config.StateDir != "" {
		if err := os.MkdirAll(config.StateDir, 0o700); err != nil {
			return append(findings, Finding{Check: "directories", Health: Failed, Found: err.Error(), Advice: "make the directory writable, or name another with --state-dir"})
		}
		findings = append(findings, examineFolder("state directory", config.StateDir))
	}
	return findings
}

// examineHeaps reports how this machine commits heaps: with the kernel's help, or by copying them.
func examineHeaps() Finding {
	f := Finding{Check: "heaps", Found: canister.HeapKinds()[0]}
	switch f.Found {
	case "scan":
		f.Found += ": a commit costs what a message wrote"
	case "pagemap":
		f.Health, f.Advice = Warning, "Linux 6.7 or newer can list the pages a message wrote (PAGEMAP_SCAN)"
		f.Found += ": a commit reads 8 bytes for each page of heap"
	default:
		f.Health, f.Advice = Warning, "Linux 6.7 or newer makes commits of large heaps many times faster"
		f.Found += ": a commit costs the size of the heap"
	}
	return f
}

// wantedMappings is the most that thousands of resident canisters take, and Linux's default.
const wantedMappings = 65530

// examineLimits checks limits of Linux that large networks can reach.
func examineLimits() (findings []Finding) {
	if text, err := os.ReadFile("/proc/sys/vm/max_map_count"); err == nil {
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		f := Finding{Check: "mappings", Found: fmt.Sprintf("vm.max_map_count is %d", n)}
		if err != nil || n < wantedMappings {
			f.Health, f.Advice = Warning, fmt.Sprintf("sysctl vm.max_map_count=%d lets more canisters be resident at a time", wantedMappings)
		}
		findings = append(findings, f)
	}
	return findings
}

// examineFolder writes to a folder.
func examineFolder(what, folder string) Finding {
	f := Finding{Check: what, Found: folder}
	probe, err := os.CreateTemp(folder, ".canisterd-doctor-*")
	if err == nil {
		_, err = probe.Write(make([]byte, 1<<20))
		_ = probe.Close()
		_ = os.Remove(probe.Name())
	}
	if err != nil {
		f.Health, f.Found, f.Advice = Failed, fmt.Sprintf("%s: %v", folder, err), "free some space or name another directory"
		return f
	}
	bytes, files := int64(0), 0
	for path := range filesIn(folder) {
		if info, err := os.Stat(path); err == nil { // it may be gone by now
			bytes, files = bytes+info.Size(), files+1
		}
	}
	f.Found = fmt.Sprintf("%s: %d files, %.1f MiB", folder, files, float64(bytes)/(1<<20))
	return f
}

// filesIn returns the readable files below a folder.
func filesIn(folder string) iter.Seq[string] {
	return func(yield func(string) bool) {
		entries, _ := os.ReadDir(folder) // unreadable folders are not counted
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if e.IsDir() {
				for below := range filesIn(path) {
					if !yield(below) {
						return
					}
				}
			} else if !yield(path) {
				return
			}
		}
	}
}
