package daemon

import (
	"runtime/debug"
	"sync"
)

// BuildInfo is what the binary says of its own origin. Fields are empty where Go did not know them, as in tests.
type BuildInfo struct {
	Version string // v1.2.3 for a tag; a pseudo-version for any other commit; development without Git
	Commit  string // 40 hex digits
	Time    string // of the commit, RFC 3339
	Go      string // version of the compiler
}

// Version returns the version of this build.
func Version() string { return Build().Version }

// Build returns the origin of this build.
func Build() BuildInfo { return buildInfo() }

var buildInfo = sync.OnceValue(func() BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return BuildInfo{Version: "unknown"}
	}
	b := BuildInfo{Version: info.Main.Version, Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		}
	}
	switch {
	case b.Version != "" && b.Version != "(devel)":
	case b.Commit != "":
		b.Version = "commit " + b.Commit[:min(12, len(b.Commit))]
	default:
		b.Version = "development"
	}
	return b
})
