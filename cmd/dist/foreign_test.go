//go:build dist && linux && amd64

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestTheArchiveOfWindowsRunsUnderWine runs the archive as Windows does, as far as Wine can: see
// docs/internals/platforms.md.
func TestTheArchiveOfWindowsRunsUnderWine(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app")
	p := program{path: app + "/canisterd.exe", dir: dir, argv: []string{tool(t, "wine64")}, env: winePrefix(t), stop: true}
	t.Cleanup(func() {
		stop := exec.Command(tool(t, "wineserver"), "--kill", "--wait")
		stop.Env = append(os.Environ(), p.env...)
		_ = stop.Run() // of a prefix without a server
	})
	lifecycle(t, installation{
		program: p,
		install: func(packages string) {
			do(t, dir, "rm", "--recursive", "--force", app)
			do(t, dir, "unzip", "-q", packed(t, packages, "canisterd-*-windows-amd64.zip"), "-d", "unzipped")
			do(t, dir, "sh", "-c", "mv unzipped/canisterd-* app")
		},
		remove: func() { do(t, dir, "rm", "--recursive", app) },
	})
}

// winePrefix makes a drive C: with the library that Go needs and Wine does not have, and returns the environment of
// programs on it.
func winePrefix(t *testing.T) []string {
	t.Helper()
	prefix := t.TempDir()
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "DISPLAY="}
	boot := exec.Command(tool(t, "wine64"), "wineboot", "--init")
	boot.Env = append(os.Environ(), env...)
	if printed, err := boot.CombinedOutput(); err != nil {
		t.Fatalf("making a prefix of Wine: %v\n%s", err, printed)
	}
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	do(t, ".", tool(t, "x86_64-w64-mingw32-gcc"), "-shared", "-O2", "-o", library, "testdata/processprng.c", "-ladvapi32")
	return env
}

// TestTheArchiveForARMRunsUnderQEMU runs the archive for the other processor, which QEMU emulates.
func TestTheArchiveForARMRunsUnderQEMU(t *testing.T) {
	i := unpackedIn(t, t.TempDir(), "arm64")
	// QEMU has memory for each page of the address space that a program reserves. With little address space, canisterd reads
	// files where it would map them.
	limit := "--as=" + strconv.Itoa(10<<30)
	i.program.argv = []string{tool(t, "prlimit"), limit, tool(t, "qemu-aarch64-static")}
	lifecycle(t, i)
}

// tool returns the path of a program of Debian that these tests need.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/lib/wine/" + name)
	}
	if err != nil {
		t.Fatalf("%v: run make install-emulators, as root on Debian", err)
	}
	return path
}
