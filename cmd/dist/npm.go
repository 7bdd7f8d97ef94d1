package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// npmFiles are the files of the package canisterd: an API and a program that look for the binary of the platform.
//
//go:embed npm
var npmFiles embed.FS

// npmPackage is a package.json.
type npmPackage struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Repository  npmRepository     `json:"repository"`
	Type        string            `json:"type,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Exports     map[string]any    `json:"exports,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Files       []string          `json:"files,omitempty"`
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// packNPM writes the npm packages: one with the binary for each platform, and one that depends on all of them. npm installs
// the one whose os and cpu are those of the machine, so nothing is downloaded and no script runs after an installation.
func packNPM(r release, builds []build, shared []file, out string) error {
	optional := map[string]string{}
	for _, b := range builds {
		binary, err := os.ReadFile(b.path)
		if err != nil {
			return err
		}
		description := npmPackageOf(r, npmName(b.platform))
		description.OS, description.CPU = []string{b.platform.npmOS}, []string{b.platform.npmCPU}
		optional[description.Name] = r.version
		files := append(licensesUnder("", shared), file{name: "bin/" + b.platform.program(), mode: 0o755, data: binary})
		if err := packNPMPackage(r, description, files, out); err != nil {
			return err
		}
	}
	description := npmPackageOf(r, "canisterd")
	description.Type, description.Optional = "module", optional
	description.Engines = map[string]string{"node": ">=18"}
	description.Bin = map[string]string{"canisterd": "canisterd.js"}
	description.Exports = map[string]any{
		".":              map[string]string{"types": "./index.d.ts", "default": "./index.js"},
		"./pocket-ic":    map[string]string{"types": "./pocket-ic.d.ts", "default": "./pocket-ic.js"},
		"./package.json": "./package.json",
	}
	files, err := embedded(npmFiles, "npm")
	if err != nil {
		return err
	}
	return packNPMPackage(r, description, append(files, licensesUnder("", shared)...), out)
}

// npmName returns the name of the package with the binary of a platform.
func npmName(p platform) string { return "@canisterd/" + p.npmOS + "-" + p.npmCPU }

// npmPackageOf returns what all package.json have.
func npmPackageOf(r release, name string) npmPackage {
	return npmPackage{
		Name: name, Version: r.version, Description: description, License: licenseExpression,
		Repository: npmRepository{Type: "git", URL: "git+" + repository + ".git"},
	}
}

// npmArchiveName returns the name that npm pack gives a package: @canisterd/linux-x64 becomes canisterd-linux-x64.
func npmArchiveName(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

// packNPMPackage writes a package as npm pack names it.
func packNPMPackage(r release, description npmPackage, files []file, out string) error {
	text, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return err
	}
	packed := []file{{name: "package/package.json", mode: 0o644, data: append(text, '\n')}}
	for _, f := range files {
		f.name = "package/" + f.name
		packed = append(packed, f)
	}
	name := npmArchiveName(description.Name, r.version)
	if err := writeFile(filepath.Join(out, name), func(w io.Writer) error { return writeTarGz(w, packed, r.time) }); err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}

// embedded returns the files of a directory that is embedded; those with a shebang are programs.
func embedded(all embed.FS, directory string) ([]file, error) {
	entries, err := all.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		data, err := all.ReadFile(directory + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		f := file{name: e.Name(), mode: 0o644, data: data}
		if len(data) > 1 && data[0] == '#' && data[1] == '!' {
			f.mode = 0o755
		}
		files = append(files, f)
	}
	return files, nil
}
