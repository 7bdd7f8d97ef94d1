package canistertest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
)

// cacheHome is the folder of Main; empty without it. Only Main writes it, before and after all tests.
var cacheHome string

// Main runs the tests of a package, whose engines share a folder for compiled modules: each module is compiled once in
// the process, which under the race detector is most of the time of many tests. The folder begins with the machine code
// that other processes of tests kept, and if all tests pass, the new machine code in it is kept. It gives the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }
func Main(m *testing.M) (code int) {
	keep := openKept()
	home, err := keep.processFolder()
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a folder for compiled modules:", err)
		return 1
	}
	cacheHome = home
	defer func() {
		cacheHome = ""
		if err := errors.Join(closeShared(), os.RemoveAll(home)); err != nil {
			fmt.Fprintln(os.Stderr, "removing compiled modules:", err)
			code = 1
		}
	}()
	if err := makeCompressors(); err != nil {
		fmt.Fprintln(os.Stderr, "writing and reading an archive:", err)
		return 1
	}
	if code = m.Run(); code == 0 {
		keep.add(modulesIn(home))
	}
	return code
}

// makeCompressors writes and reads an archive, so that the compressors that all archives of a process share are made before
// the first test. Their channels would belong to a bubble of synctest that is the first to need them.
func makeCompressors() error {
	const most = 1 << 20
	var file bytes.Buffer
	zeros := make([]byte, most)
	for _, c := range []*archive.Coder{archive.NewWriter(&file), archive.NewReader(&file)} {
		c.Section("zeros", func() { c.Bytes(&zeros, most) })
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// CacheDir is the folder for compiled modules that the tests of this process share; one of the test where the package
// does not begin with Main.
func CacheDir(tb testing.TB) string {
	tb.Helper()
	if cacheHome == "" {
		return tb.TempDir()
	}
	return modulesIn(cacheHome)
}

// UseCacheHome makes programs and commands that the test runs find the modules of CacheDir in the user's cache. They find
// nothing else there that other tests wrote.
func UseCacheHome(t *testing.T) {
	t.Helper()
	if cacheHome == "" {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		return
	}
	t.Setenv("XDG_CACHE_HOME", cacheHome)
	t.Cleanup(func() {
		modules := modulesIn(cacheHome)
		written, err := filepath.Glob(filepath.Join(filepath.Dir(modules), "*"))
		if err != nil {
			t.Error(err)
		}
		for _, path := range written {
			if path == modules {
				continue
			}
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
		}
	})
}

// modulesIn is where the command keeps compiled modules in a user's cache.
func modulesIn(home string) string { return filepath.Join(home, "canisterd", "modules") }

// fragments are those of NewEngine, and seed is that of FragmentsAtRandom.
var (
	fragments = canister.FragmentsNever
	seed      uint64
)

// UseFragments makes the engines of NewEngine run modules in fragments until the test ends. Otherwise they never do: the
// shared folder has nearly all modules.
func UseFragments(tb testing.TB, use canister.Fragments, random uint64) {
	tb.Helper()
	before, beforeSeed := fragments, seed
	tb.Cleanup(func() { fragments, seed = before, beforeSeed })
	fragments, seed = use, random
}

// NewEngine is an engine without options that is closed when the test ends. Where the package begins with Main, it
// shares compiled modules with the others.
func NewEngine(tb testing.TB) *canister.Engine {
	tb.Helper()
	engine, err := openEngine()
	if err != nil {
		tb.Fatalf("make an engine: %v", err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	return engine
}

func openEngine() (*canister.Engine, error) {
	config := canister.EngineConfig{Fragments: fragments, Seed: seed}
	if cacheHome != "" {
		config.CacheDir = modulesIn(cacheHome)
	}
	return canister.NewEngine(config)
}

// SharedEngine is one engine without options for all tests of the process, so that each module is read and linked once. It
// is for tests that see networks only: other tests use it at the same time. While UseFragments applies it is NewEngine,
// since a module that another test compiled would not run in fragments.
func SharedEngine(tb testing.TB) *canister.Engine {
	tb.Helper()
	if fragments != canister.FragmentsNever {
		return NewEngine(tb)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.engine == nil {
		engine, err := openEngine()
		if err != nil {
			tb.Fatalf("make an engine: %v", err)
		}
		shared.engine = engine
	}
	return shared.engine
}

// shared has the engine of SharedEngine once a test needs it. Main closes it; without Main it stays open.
var shared struct {
	sync.Mutex
	engine *canister.Engine
}

// closeShared closes the engine of SharedEngine, if there is one.
func closeShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.engine == nil {
		return nil
	}
	engine := shared.engine
	shared.engine = nil
	return engine.Close()
}
