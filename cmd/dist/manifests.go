package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// manifestTemplates are the manifests of package managers that download an archive: Homebrew, Scoop and WinGet.
//
//go:embed manifests
var manifestTemplates embed.FS

// writeManifests writes the manifests, which name the archives by their place in a release and by their digests.
func writeManifests(r release, builds []build, out string) error {
	values := map[string]any{
		"Version": r.version, "Date": r.time.Format("2006-01-02"), "Repository": repository, "Description": description,
		"License": licenseExpression,
	}
	for _, b := range builds {
		archive, err := os.ReadFile(filepath.Join(out, archiveName(r, b.platform)))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(archive)
		values[b.platform.goos+"_"+b.platform.goarch] = map[string]string{
			"URL":    fmt.Sprintf("%s/releases/download/v%s/%s", repository, r.version, archiveName(r, b.platform)),
			"SHA256": hex.EncodeToString(sum[:]),
		}
	}
	all, err := template.New("").Option("missingkey=error").ParseFS(manifestTemplates, "manifests/*")
	if err != nil {
		return err
	}
	for _, t := range all.Templates() {
		name := filepath.Join(out, "manifests", strings.TrimSuffix(t.Name(), ".tmpl"))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := writeFile(name, func(w io.Writer) error { return t.Execute(w, values) }); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
