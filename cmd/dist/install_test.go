//go:build dist && linux && amd64

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// unpackedIn returns the archive of Linux for an architecture as it is unpacked into a directory.
func unpackedIn(t *testing.T, dir, architecture string) installation {
	t.Helper()
	app := filepath.Join(dir, "app")
	return installation{
		program: program{path: app + "/canisterd", dir: dir},
		install: func(packages string) {
			archive := packed(t, packages, "canisterd-*-linux-"+architecture+".tar.gz")
			do(t, dir, "rm", "--recursive", "--force", app)
			do(t, dir, "mkdir", app)
			do(t, dir, "tar", "-xzf", archive, "--strip-components=1", "-C", app)
		},
		remove: func() { do(t, dir, "rm", "--recursive", app) },
	}
}

// unpacked returns the program of an archive in a directory of its own.
func unpacked(t *testing.T, packages string) program {
	t.Helper()
	i := unpackedIn(t, t.TempDir(), "amd64")
	i.install(packages)
	return i.program
}

func TestTheArchiveRunsWhereItIsUnpacked(t *testing.T) {
	lifecycle(t, unpackedIn(t, t.TempDir(), "amd64"))
}

func TestTheArchiveHasLicensesAndCompletions(t *testing.T) {
	app := filepath.Dir(unpacked(t, *packages).path)
	for _, name := range []string{"LICENSE", "licenses/go/LICENSE", "licenses/github.com/tetratelabs/wazero/LICENSE", "completions/canisterd.bash"} {
		if _, err := os.Stat(filepath.Join(app, name)); err != nil {
			t.Error(err)
		}
	}
}

// emptyRoot returns an empty directory that becomes the root of a system, and the program in it that a package of a
// distribution installs.
func emptyRoot(t *testing.T, directories ...string) (string, program) {
	t.Helper()
	root := t.TempDir()
	for _, name := range append(directories, "tmp", "home") {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root, program{path: "/usr/bin/canisterd", root: root, dir: "/home"}
}

func TestThePackageOfDebianIsInstalledAndRemoved(t *testing.T) {
	root, p := emptyRoot(t, "var/lib/dpkg/info", "var/lib/dpkg/updates")
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	lifecycle(t, installation{
		program: p,
		install: func(packages string) {
			do(t, root, "dpkg", "--root="+root, "--install", packed(t, packages, "canisterd_*_amd64.deb"))
		},
		remove: func() { do(t, root, "dpkg", "--root="+root, "--remove", "canisterd") },
	})
}

// rpm of Debian wants to hear that its system is not Fedora. A commit of the same second as its parent has the same version.
func TestThePackageOfFedoraIsInstalledAndRemoved(t *testing.T) {
	root, p := emptyRoot(t)
	rpm := func(args ...string) {
		do(t, root, tool(t, "rpm"), append([]string{"--root", root, "--dbpath", "/var/lib/rpm", "--force-debian"}, args...)...)
	}
	lifecycle(t, installation{
		program: p,
		install: func(packages string) {
			rpm("--upgrade", "--replacepkgs", packed(t, packages, "canisterd-*.x86_64.rpm"))
		},
		remove: func() { rpm("--erase", "canisterd") },
	})
}

// Debian has no apk, so tar unpacks the package.
func TestThePackageOfAlpineRunsWhereItIsUnpacked(t *testing.T) {
	root, p := emptyRoot(t)
	lifecycle(t, installation{
		program: p,
		install: func(packages string) {
			do(t, root, "tar", "-xzf", packed(t, packages, "canisterd_*_x86_64.apk"))
		},
		remove: func() { do(t, root, "rm", "--recursive", "usr", ".PKGINFO") },
	})
}

func TestTheWheelIsInstalledAndRemovedByPip(t *testing.T) {
	dir := t.TempDir()
	do(t, dir, "python3", "-m", "venv", "venv")
	lifecycle(t, installation{
		program: program{path: dir + "/venv/bin/canisterd", dir: dir},
		install: func(packages string) {
			wheel := packed(t, packages, "canisterd-*-manylinux*x86_64.whl")
			do(t, dir, "venv/bin/pip", "install", "--no-index", "--force-reinstall", wheel) // also if both have one version
		},
		remove: func() { do(t, dir, "venv/bin/pip", "uninstall", "--yes", "canisterd") },
	})
}
