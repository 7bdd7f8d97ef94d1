package canistertest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Compiling the modules of fixtures takes a fifth of the time of all tests. So their machine code is kept between
// processes, in a folder for each compiler in the user's cache. A process works in a folder of its own, which begins with
// links to what is kept: no test sees what another process does, and none can damage what is kept. Rewritten modules are
// not kept: each test program has a rewriter of its own.

// keepVariable is "off" in tests of a compiler that differs from its files: those of mutants.
const keepVariable = "CANISTERD_TEST_CACHE"

// unusedFor is how long folders stay that no test uses: those of other compilers, and those of processes that were killed.
const unusedFor = 24 * time.Hour

// keptCode is the machine code that the tests of a compiler have in common: dir/wazero-*/* with receipts in dir/modules.
type keptCode struct {
	dir string // "" where nothing can be kept
}

// openKept opens the folder for the compiler of this process, and removes folders that are not used any more.
func openKept() keptCode {
	if os.Getenv(keepVariable) == "off" {
		return keptCode{}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return keptCode{}
	}
	compiler, err := compilerHash()
	if err != nil {
		return keptCode{}
	}
	all := filepath.Join(cache, "canisterd-tests")
	k := keptCode{filepath.Join(all, compiler)}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return keptCode{}
	}
	now := time.Now()
	if err := os.Chtimes(k.dir, now, now); err != nil {
		return keptCode{}
	}
	for _, pattern := range []string{filepath.Join(all, "*"), filepath.Join(k.dir, processPrefix+"*")} {
		removeUnused(pattern, now.Add(-unusedFor))
	}
	return k
}

// processPrefix begins the names of the folders of processes.
const processPrefix = "process-"

// processFolder makes the user's cache of this process, with the modules that are kept. Links to them cannot lead to
// another disk, so it is next to them.
func (k keptCode) processFolder() (home string, err error) {
	prefix := processPrefix
	if k.dir == "" {
		prefix = "canisterd-tests-"
	}
	if home, err = os.MkdirTemp(k.dir, prefix); err != nil {
		return "", err
	}
	if err = os.MkdirAll(modulesIn(home), 0o700); err == nil && k.dir != "" {
		err = linkCompiled(k.dir, modulesIn(home))
	}
	return home, err
}

// add keeps the machine code of a folder. If that fails, the next process compiles again.
func (k keptCode) add(modules string) {
	if k.dir != "" {
		_ = linkCompiled(modules, k.dir)
	}
}

// compilerHash is a hash of all that decides which machine code a module becomes: the version of the engine in go.mod and
// the sources that configure it.
func compilerHash() (string, error) {
	root, err := repositoryRoot()
	if err != nil {
		return "", err
	}
	sources, err := filepath.Glob(filepath.Join(root, "canister", "internal", "wasm", "*.go"))
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version())
	for _, path := range append(sources, filepath.Join(root, "go.mod")) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(path), len(content), content)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// repositoryRoot is the folder of go.mod above the package whose tests run.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fs.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
}

// removeUnused removes folders that were last changed before a moment. What cannot be removed now is removed later.
func removeUnused(pattern string, before time.Time) {
	folders, _ := filepath.Glob(pattern)
	for _, path := range folders {
		if info, err := os.Stat(path); err == nil && info.ModTime().Before(before) {
			_ = os.RemoveAll(path)
		}
	}
}

// linkCompiled links the machine code in one folder, and the receipts for it, to another. Files that are there stay: they
// are the same.
func linkCompiled(from, to string) error {
	for _, pattern := range []string{filepath.Join("wazero-*", "*"), filepath.Join("modules", "*.receipt")} {
		files, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		for _, path := range files {
			folder := filepath.Join(to, filepath.Base(filepath.Dir(path)))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return err
			}
			err := os.Link(path, filepath.Join(folder, filepath.Base(path)))
			if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
