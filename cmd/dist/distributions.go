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
	config, err := writeDistributionConfig(r, b, shared, work)
	if err != nil {
		return err
	}
	for _, format := range distributionFormats {
		command := exec.CommandContext(ctx, nfpm, "package", "--config", config, "--packager", format, "--target", out)
		command.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
		if printed, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("packing %s with %s: %w\n%s", format, nfpm, err, printed)
		}
	}
	return nil
}

// writeDistributionConfig writes the configuration of nfpm, and the files that it names, into a directory. nfpm reads YAML,
// and JSON is YAML.
func writeDistributionConfig(r release, b build, shared []file, work string) (string, error) {
	modified := r.time.Format("2006-01-02T15:04:05Z")
	contents := []content{{b.path, "/usr/bin/canisterd", contentInfo{0o755, modified}}}
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
			return "", err
		}
		if err := os.WriteFile(source, f.data, 0o644); err != nil {
			return "", err
		}
		contents = append(contents, content{source, destination, contentInfo{0o644, modified}})
	}
	text, err := json.Marshal(map[string]any{
		"name": "canisterd", "arch": b.platform.goarch, "platform": "linux", "version": r.version, "version_schema": "semver",
		"section": "devel", "priority": "optional", "maintainer": maintainer, "description": description,
		"homepage": repository, "license": licenseExpression, "mtime": modified, "contents": contents,
		"rpm": map[string]any{"buildhost": "canisterd"},
	})
	if err != nil {
		return "", err
	}
	name := filepath.Join(work, "nfpm.yaml")
	return name, os.WriteFile(name, text, 0o644)
}
