package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packWheels writes the Python wheels of a platform. A wheel has the binary as a script, which installers put into the
// directory of programs of an environment (PEP 427): no Python code runs between the user and canisterd.
func packWheels(r release, b build, shared []file, out string) error {
	binary, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	for _, tags := range b.platform.wheels {
		name := fmt.Sprintf("canisterd-%s-py3-none-%s.whl", r.python(), tags)
		files := wheelFiles(r.python(), tags, b.platform.program(), binary, shared)
		if err := writeFile(filepath.Join(out, name), func(w io.Writer) error { return writeZip(w, files, r.time) }); err != nil {
			return fmt.Errorf("packing %s: %w", name, err)
		}
	}
	return nil
}

// wheelFiles returns the files of a wheel for platform tags that are joined by dots.
func wheelFiles(version, tags, program string, binary []byte, shared []file) []file {
	info := fmt.Sprintf("canisterd-%s.dist-info/", version)
	metadata := fmt.Sprintf(`Metadata-Version: 2.4
Name: canisterd
Version: %s
Summary: %s
Home-page: %s
License-Expression: %s
License-File: LICENSE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

The wheel has the binary alone. Run `+"`canisterd start`"+`, or `+"`uvx canisterd start`"+` without an installation.
`, version, description, repository, licenseExpression)
	var wheel strings.Builder
	wheel.WriteString("Wheel-Version: 1.0\nGenerator: canisterd dist\nRoot-Is-Purelib: false\n")
	for tag := range strings.SplitSeq(tags, ".") {
		fmt.Fprintf(&wheel, "Tag: py3-none-%s\n", tag)
	}
	files := []file{
		{name: fmt.Sprintf("canisterd-%s.data/scripts/%s", version, program), mode: 0o755, data: binary},
		{name: info + "METADATA", mode: 0o644, data: []byte(metadata)},
		{name: info + "WHEEL", mode: 0o644, data: []byte(wheel.String())},
	}
	files = append(files, licensesUnder(info+"licenses/", shared)...)
	return append(files, file{name: info + "RECORD", mode: 0o644, data: record(files, info+"RECORD")})
}

// record lists files with their digests, and itself without one.
func record(files []file, name string) []byte {
	var list strings.Builder
	for _, f := range sorted(files) {
		digest := sha256.Sum256(f.data)
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(digest[:]), len(f.data))
	}
	fmt.Fprintf(&list, "%s,,\n", name)
	return []byte(list.String())
}
