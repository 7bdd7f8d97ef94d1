package wasm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
)

// ownModule is the path of the Go module that the rewriter is in.
const ownModule = "github.com/canisterd/canisterd"

// buildFingerprint distinguishes programs whose rewriters may differ.
func buildFingerprint() [32]byte {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	path, err := os.Executable()
	if err != nil {
		path = ""
	}
	return fingerprintOf(info, path)
}

// fingerprintOf is the fingerprint of a program. Those of users with a published version of the rewriter's module have the
// fingerprint of the version, so that a test keeps its modules when its own code changes. Others have one of their own.
func fingerprintOf(info *debug.BuildInfo, path string) [32]byte {
	h := sha256.New()
	fmt.Fprintln(h, info.GoVersion)
	if m := published(info); m != nil {
		fmt.Fprintln(h, m.Version, m.Sum)
		return [32]byte(h.Sum(nil))
	}
	fmt.Fprintln(h, info.Main.Version)
	for _, s := range info.Settings {
		fmt.Fprintln(h, s.Key, s.Value)
	}
	if id := buildID(path); id != "" {
		fmt.Fprintln(h, id)
	} else if file, err := os.Stat(path); err == nil {
		fmt.Fprintln(h, file.Size(), file.ModTime().UnixNano())
	}
	return [32]byte(h.Sum(nil))
}

// published returns the rewriter's module among the dependencies of a program, nil if its sources are in a folder of the user's.
func published(info *debug.BuildInfo) *debug.Module {
	at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == ownModule })
	if at < 0 || info.Deps[at].Replace != nil || info.Deps[at].Sum == "" {
		return nil
	}
	return info.Deps[at]
}

// buildID returns the ID that the linker makes of a program's content, "" if the program does not begin with one. Linked
// again from the same sources, the program has the same ID and another time.
func buildID(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, maxBuildIDOffset))
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(head, []byte("\xff Go build ID: \""))
	id, _, found := bytes.Cut(after, []byte("\""))
	if !found {
		return ""
	}
	return string(id)
}
