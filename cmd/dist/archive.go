package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// completions are where a package has the completions of each shell.
var completions = map[string]string{
	"bash": "completions/canisterd.bash",
	"fish": "completions/canisterd.fish",
	"zsh":  "completions/_canisterd",
}

// sharedFiles returns the files that all archives have beside the binary.
func sharedFiles(ctx context.Context, builds []build) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, mode: 0o644, data: data})
	}
	host, err := hostBuild(builds)
	if err != nil {
		return nil, err
	}
	for shell, name := range completions { // files are sorted when they are packed
		script, err := exec.CommandContext(ctx, host.path, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("writing the completions of %s: %w", shell, err)
		}
		files = append(files, file{name: name, mode: 0o644, data: script})
	}
	licenses, err := licenseFiles(ctx, builds)
	if err != nil {
		return nil, err
	}
	return append(files, licenses...), nil
}

// licensesUnder returns the licenses among files, below a directory of a package.
func licensesUnder(directory string, files []file) []file {
	var licenses []file
	for _, f := range sorted(files) {
		path, isOfModule := strings.CutPrefix(f.name, "licenses/")
		if isOfModule || f.name == "LICENSE" {
			f.name = directory + path
			licenses = append(licenses, f)
		}
	}
	return licenses
}

// archiveName returns the name of the archive of a platform.
func archiveName(r release, p platform) string {
	name := fmt.Sprintf("canisterd-%s-%s-%s", r.version, p.goos, p.goarch)
	if p.goos == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// packArchive writes the archive of a platform: a directory with the binary, its licenses and completions.
func packArchive(r release, b build, shared []file, out string) error {
	binary, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	root := fmt.Sprintf("canisterd-%s/", r.version)
	files := []file{{name: root + b.platform.program(), mode: 0o755, data: binary}}
	for _, f := range shared {
		f.name = root + f.name
		files = append(files, f)
	}
	return writeFile(filepath.Join(out, archiveName(r, b.platform)), func(w io.Writer) error {
		if b.platform.goos == "windows" {
			return writeZip(w, files, r.time)
		}
		return writeTarGz(w, files, r.time)
	})
}
