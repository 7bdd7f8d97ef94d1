package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/canisterd/canisterd/cmd/dist/compile"
)

// platform is an operating system with an architecture, under the names that package managers have for it.
type platform struct {
	goos, goarch string
	npmOS        string   // process.platform of Node.js
	npmCPU       string   // process.arch of Node.js
	wheels       []string // platform tags of Python wheels
}

// platforms are those for which there are packages.
var platforms = []platform{
	{"linux", "amd64", "linux", "x64", []string{"manylinux2014_x86_64.manylinux_2_17_x86_64", "musllinux_1_1_x86_64"}},
	{"linux", "arm64", "linux", "arm64", []string{"manylinux2014_aarch64.manylinux_2_17_aarch64", "musllinux_1_1_aarch64"}},
	{"darwin", "amd64", "darwin", "x64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64", "darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64", "win32", "x64", []string{"win_amd64"}},
	{"windows", "arm64", "win32", "arm64", []string{"win_arm64"}},
}

func (p platform) String() string { return p.goos + "/" + p.goarch }

// program returns the name of the binary.
func (p platform) program() string {
	if p.goos == "windows" {
		return "canisterd.exe"
	}
	return "canisterd"
}

// build is the binary of a platform.
type build struct {
	platform platform
	path     string // of the binary
	modules  []module
}

// buildAll builds the binaries of all platforms below a directory.
func buildAll(ctx context.Context, r release, work string) ([]build, error) {
	var builds []build
	for _, p := range platforms {
		b := build{platform: p, path: filepath.Join(work, p.goos+"-"+p.goarch, p.program())}
		if err := compile.Command(ctx, p.goos, p.goarch, compile.Stripped, b.path).Run(); err != nil {
			return nil, fmt.Errorf("building for %s: %w", p, err)
		}
		var err error
		if b.modules, err = linkedModules(b.path); err != nil {
			return nil, fmt.Errorf("listing the modules in the binary for %s: %w", p, err)
		}
		builds = append(builds, b)
	}
	return builds, nil
}

// hostBuild returns the build that runs on this machine.
func hostBuild(builds []build) (build, error) {
	for _, b := range builds {
		if b.platform.goos == runtime.GOOS && b.platform.goarch == runtime.GOARCH {
			return b, nil
		}
	}
	return build{}, errors.New("none of the platforms is that of this machine, so no binary can print its completions")
}
