package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// distributionFormats are the packages of Linux distributions that nfpm writes.
var distributionFormats = []string{"deb", "rpm", "apk"}

// distributionPaths are where distributions have the files of an archive.
var distributionPaths = map[string]string{
	"LICENSE":                    "/usr/share/doc/canisterd/copyright",
	"CHANGELOG.md":               "/usr/share/doc/canisterd/CHANGELOG.md",
	"completions/canisterd.bash": "/usr/share/bash-completion/completions/canisterd",
	"completions/canisterd.fish": "/usr/share/fish/vendor_completions.d/canisterd.fish",
	"completions/_canisterd":     "/usr/share/zsh/site-functions/_canisterd",
}

// content is a file of a package in the configuration of nfpm.
type content struct {
	Source      string      `json:"src"`
	Destination string      `json:"dst"`
	FileInfo    contentInfo `json:"file_info"`
}

type contentInfo struct {
	Mode  int    `json:"mode"`
	Mtime string `json:"mtime"`
}

// packForDistributions writes the packages of Linux distributions with nfpm. They have no scripts and no dependencies.
func packForDistributions(ctx context.Context, r release, b build, shared []file, out, nfpm string) error {
	work, err := os.MkdirTemp("", "canisterd-nfpm-")
	if err != nil {
		return fmt.Errorf("creating the directory for the files of packages: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	contents, err := writeDistributionFiles(r, b, shared, work)
	if err != nil {
		return err
	}
	for _, format := range distributionFormats {
		text, err := json.Marshal(distributionConfig(r, b, contents, format))
		if err != nil {
			return err
		}
		config := filepath.Join(work, format+".yaml") // nfpm reads YAML, and JSON is YAML
		if err := os.WriteFile(config, text, 0o644); err != nil {
			return err
		}
		command := exec.CommandContext(ctx, nfpm, "package", "--config", config, "--packager", format, "--target", out)
		command.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
		if printed, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("packing %s with %s: %w\n%s", format, nfpm, err, printed)
		}
	}
	return nil
}

// modified returns the time of the files of a package as nfpm reads it.
func modified(r release) string { return r.time.Format("2006-01-02T15:04:05Z") }

// writeDistributionFiles writes the files of packages into a directory, and lists them with their places in a system.
func writeDistributionFiles(r release, b build, shared []file, work string) ([]content, error) {
	contents := []content{{b.path, "/usr/bin/canisterd", contentInfo{0o755, modified(r)}}}
	for _, f := range sorted(shared) {
		destination, listed := distributionPaths[f.name]
		if path, isLicense := strings.CutPrefix(f.name, "licenses/"); isLicense {
			destination, listed = "/usr/share/doc/canisterd/licenses/"+path, true
		}
		if !listed {
			continue
		}
		source := filepath.Join(work, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(source, f.data, 0o644); err != nil {
			return nil, err
		}
		contents = append(contents, content{source, destination, contentInfo{0o644, modified(r)}})
	}
	return contents, nil
}

// distributionConfig returns the configuration of nfpm for a format. nfpm writes a version of semver as dpkg and rpm order
// it, but not as apk does.
func distributionConfig(r release, b build, contents []content, format string) map[string]any {
	version, prerelease, schema := r.version, "", "semver"
	if format == "apk" {
		version, prerelease = r.alpine()
		schema = "none"
	}
	return map[string]any{
		"name": "canisterd", "arch": b.platform.goarch, "platform": "linux", "version": version, "prerelease": prerelease,
		"version_schema": schema, "section": "devel", "priority": "optional", "maintainer": maintainer, "description": description,
		"homepage": repository, "license": licenseExpression, "mtime": modified(r), "contents": contents,
		"rpm": map[string]any{"buildhost": "canisterd"},
	}
}
