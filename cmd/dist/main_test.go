//go:build dist && linux && amd64

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	packages = flag.String("packages", "../../bin/dist", "directory with the packages of dist")
	before   = flag.String("before", "../../bin/dist-before", "directory with the packages of the version before")
)

// TestMain lists the packages that no test has installed, after all tests. One without a reason is a failure.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if laterDirectory != "" {
		os.RemoveAll(laterDirectory)
	}
	if all := flag.Lookup("test.run").Value.String() == ""; code == 0 && all {
		if err := listNotInstalled(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// installed has the names of packages of this version that were installed and used.
var installed = map[string]bool{}

// leftOut is what is not done with the packages that match a pattern.
type leftOut struct {
	pattern, reason string
	partly          bool // the package is installed nevertheless
}

const (
	noMacOS            = "not run: no emulator of macOS is free"
	noInstallersForARM = "not installed: the binary is that of the archive for ARM, which QEMU runs"
)

// notInstalled says why the packages whose names match a pattern are not installed, or, if they are, what is left out. All of
// them are made twice and compared, and TestEveryPackageHasTheBinaryOfTheArchive reads those with a binary.
var notInstalled = []leftOut{
	{"canisterd-*-darwin-*.tar.gz", noMacOS, false},
	{"canisterd-darwin-*.tgz", noMacOS, false},
	{"canisterd-*-macosx_*.whl", noMacOS, false},
	{"canisterd-*-windows-amd64.zip", "not stopped by Ctrl-C, which Wine does not pass on (docs/internals/platforms.md)", true},
	{"canisterd-*-windows-arm64.zip", "not run: Debian's Wine runs programs for amd64 alone", false},
	{"canisterd-win32-*.tgz", "not installed: the npm of Linux installs packages for Linux alone", false},
	{"canisterd-*-win_*.whl", "not installed: the pip of Linux installs wheels for Linux alone", false},
	{"canisterd-*-musllinux_*.whl", "not installed: pip of a system with glibc refuses it; the binary is that of manylinux", false},
	{"canisterd_*_x86_64.apk", "not installed by apk, which Debian does not have: unpacked with tar instead", true},
	{"canisterd_*_arm64.deb", noInstallersForARM, false},
	{"canisterd-*.aarch64.rpm", noInstallersForARM, false},
	{"canisterd_*_aarch64.apk", noInstallersForARM, false},
	{"canisterd-linux-arm64-*.tgz", noInstallersForARM, false},
	{"canisterd-*-manylinux*_aarch64.whl", noInstallersForARM, false},
	{"canisterd-*-oci.tar", "the image for ARM is not entered: its binary is that of the archive, which QEMU runs", true},
	{"manifests/*", "not installed: Homebrew, Scoop and WinGet download a release; tests compare digests", false},
	{"canisterd-*.cdx.json", "nothing to install: a test reads the modules", false},
	{"checksums.txt", "nothing to install: sha256sum checks it", false},
}

// listNotInstalled prints which packages were not installed, and why. It is an error if there is one without a reason, or a
// reason for none.
func listNotInstalled(w io.Writer) error {
	names, err := namesBelow(*packages)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\nWhat was left out:")
	var faults []error
	for _, left := range notInstalled {
		matches := func(name string) bool { match, _ := filepath.Match(left.pattern, name); return match }
		if !slices.ContainsFunc(names, matches) {
			faults = append(faults, fmt.Errorf("no package is called %s: delete the reason (%s)", left.pattern, left.reason))
		}
		for _, name := range names {
			if matches(name) {
				fmt.Fprintf(w, "  %s: %s\n", name, left.reason)
			}
		}
		if !left.partly {
			names = slices.DeleteFunc(names, matches)
		}
	}
	for _, name := range names {
		if !installed[name] {
			faults = append(faults, fmt.Errorf("no test installs %s, and no reason says why", name))
		}
	}
	return errors.Join(faults...)
}

// namesBelow returns the files below a directory, relative to it.
func namesBelow(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// filesBelow is namesBelow for a directory that must be there.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	names, err := namesBelow(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("%d packages in %s (%v): run make dist and make test-dist", len(names), dir, err)
	}
	return names
}

// packed returns the one package of a directory whose name matches a pattern, to be installed, as an absolute path.
func packed(t *testing.T, dir, pattern string) string {
	t.Helper()
	name := found(t, dir, pattern)
	if dir == *packages {
		installed[filepath.Base(name)] = true
	}
	return name
}

// found returns the one package of a directory whose name matches a pattern, as an absolute path.
func found(t *testing.T, dir, pattern string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d packages match %s in %s, want 1 (%v): run make dist and make test-dist", len(all), pattern, dir, err)
	}
	absolute, err := filepath.Abs(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}
