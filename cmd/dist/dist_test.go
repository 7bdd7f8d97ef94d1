package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/cmd/dist/compile"
)

var commitTime = time.Date(2026, 11, 29, 9, 23, 0, 0, time.UTC)

func TestACommitWithoutATagIsAVersionBeforeAllReleases(t *testing.T) {
	for _, test := range []struct{ tags, version, python, alpine string }{
		{"", "0.0.0-dev.20261129092300", "0.0.0.dev20261129092300", "0.0.0_pre20261129092300"},
		{"v1.2.3", "1.2.3", "1.2.3", "1.2.3_"},
		{"v1.2.3-rc.1", "1.2.3-rc.1", "1.2.3rc1", "1.2.3_rc1"},
		{"v1.2.3-beta.4\nv1.2.3-beta.3", "1.2.3-beta.4", "1.2.3b4", "1.2.3_beta4"},
	} {
		r := release{version: versionOf(test.tags, commitTime), time: commitTime}
		base, suffix := r.alpine()
		if alpine := base + "_" + suffix; r.version != test.version || r.python() != test.python || alpine != test.alpine {
			t.Errorf("tags %q: version %s, in Python %s, in Alpine %s, want %s, %s and %s",
				test.tags, r.version, r.python(), alpine, test.version, test.python, test.alpine)
		}
	}
}

func TestArchivesOfTheSameFilesHaveTheSameBytesInAnyOrder(t *testing.T) {
	one := []file{{name: "a/b", mode: 0o755, data: []byte("b")}, {name: "c", mode: 0o644, data: []byte("c")}}
	other := []file{one[1], one[0]}
	for name, write := range map[string]func(io.Writer, []file, time.Time) error{"tar.gz": writeTarGz, "zip": writeZip} {
		var first, second bytes.Buffer
		if err := write(&first, one, commitTime); err != nil {
			t.Fatal(err)
		}
		if err := write(&second, other, commitTime); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two archives of the same files differ", name)
		}
	}
}

func TestATarNamesNoUserAndHasTheTimeOfTheCommit(t *testing.T) {
	var packed bytes.Buffer
	if err := writeTarGz(&packed, []file{{name: "d/program", mode: 0o755, data: []byte("x")}}, commitTime); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	eachFile(t, unzipped, func(header *tar.Header, _ []byte) {
		names = append(names, header.Name)
		if header.Uname != "" || header.Uid != 0 || !header.ModTime.Equal(commitTime) || header.Mode != 0o755 {
			t.Errorf("%s: user %q (%d), time %s, mode %o", header.Name, header.Uname, header.Uid, header.ModTime, header.Mode)
		}
	})
	if got := strings.Join(names, " "); got != "d/ d/program" {
		t.Errorf("the archive has %s", got)
	}
}

func TestTheRecordOfAWheelHasEachFileWithItsDigest(t *testing.T) {
	files := wheelFiles("1.2.3", "manylinux2014_x86_64.manylinux_2_17_x86_64", "canisterd", []byte("binary"), []file{{name: "licenses/go/LICENSE", mode: 0o644, data: []byte("license")}})
	var packed bytes.Buffer
	if err := writeZip(&packed, files, commitTime); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(readZipped(t, archive, "canisterd-1.2.3.dist-info/RECORD")) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		recorded[fields[0]] = fields[1]
	}
	for _, f := range archive.File {
		digest := sha256.Sum256([]byte(readZipped(t, archive, f.Name)))
		want := "sha256=" + base64.RawURLEncoding.EncodeToString(digest[:])
		if strings.HasSuffix(f.Name, "RECORD") {
			want = ""
		}
		if got, listed := recorded[f.Name]; !listed || got != want {
			t.Errorf("%s is recorded with %q (%t), want %q", f.Name, got, listed, want)
		}
	}
	if f := archive.File[0]; f.Name != "canisterd-1.2.3.data/scripts/canisterd" || f.Mode() != 0o755 {
		t.Errorf("the script is %s with mode %s", f.Name, f.Mode())
	}
	if tags := readZipped(t, archive, "canisterd-1.2.3.dist-info/WHEEL"); strings.Count(tags, "Tag: py3-none-") != 2 {
		t.Errorf("the wheel says\n%s", tags)
	}
}

func readZipped(t *testing.T, archive *zip.Reader, name string) string {
	t.Helper()
	f, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEachDescriptorOfAnImageLeadsToABlobWithItsDigest(t *testing.T) {
	out, binary := t.TempDir(), filepath.Join(t.TempDir(), "canisterd")
	if err := os.WriteFile(binary, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := release{version: "1.2.3", time: commitTime}
	if err := packImage(r, []build{{platform: platforms[0], path: binary}, {platform: platforms[1], path: binary}}, nil, out); err != nil {
		t.Fatal(err)
	}
	blobs := readTar(t, filepath.Join(out, imageName(r)))
	var top, both index
	decode(t, blobs["index.json"], &top)
	decode(t, blobOfDigest(t, blobs, top.Manifests[0]), &both)
	for _, image := range both.Manifests {
		var m manifest
		var config imageConfig
		decode(t, blobOfDigest(t, blobs, image), &m)
		decode(t, blobOfDigest(t, blobs, m.Config), &config)
		layer, err := gzip.NewReader(bytes.NewReader(blobOfDigest(t, blobs, m.Layers[0])))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(layer)
		if err != nil {
			t.Fatal(err)
		}
		if got := digestOf(content); got != config.RootFS.DiffIDs[0] {
			t.Errorf("%s: the layer is %s, the configuration says %s", image.Platform.Architecture, got, config.RootFS.DiffIDs[0])
		}
		if config.Architecture != image.Platform.Architecture {
			t.Errorf("the index says %s, the configuration %s", image.Platform.Architecture, config.Architecture)
		}
	}
	if len(both.Manifests) != 2 {
		t.Errorf("there are %d images, want 2", len(both.Manifests))
	}
}

func TestTheImageRunsWhatTheDockerfileRuns(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	config := configOf(release{}, "amd64", "").Config
	entry, err := json.Marshal(config.Entrypoint)
	if err != nil {
		t.Fatal(err)
	}
	command, err := json.Marshal(config.Cmd)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"RUN CGO_ENABLED=0 go build " + strings.Join(compile.Flags, " ") + ` -ldflags="` + compile.Stripped + `" -o /canisterd ./cmd/canisterd`,
		"ENTRYPOINT " + string(entry), "CMD " + strings.ReplaceAll(string(command), ",", ", "), "USER " + config.User + ":" + config.User,
	} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("the Dockerfile has no line %s", line)
		}
	}
}

func readTar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	eachFile(t, f, func(header *tar.Header, data []byte) { files[header.Name] = data })
	return files
}

// eachFile passes the files of a tar.
func eachFile(t *testing.T, r io.Reader, pass func(*tar.Header, []byte)) {
	t.Helper()
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		pass(header, data)
	}
}

func blobOfDigest(t *testing.T, blobs map[string][]byte, d descriptor) []byte {
	t.Helper()
	data, found := blobs["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
	if !found || digestOf(data) != d.Digest || len(data) != d.Size {
		t.Fatalf("the blob %s of %d bytes is missing or another", d.Digest, d.Size)
	}
	return data
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestNamesOfLicensesAreFoundInAnySpelling(t *testing.T) {
	for name, is := range map[string]bool{
		"LICENSE": true, "LICENCE.md": true, "COPYING": true, "NOTICE.txt": true, "LICENSE-preact.txt": true, "license": true,
		"licenses.go": false, "README.md": false, "noticeboard.go": false,
	} {
		if got := licenseName.MatchString(name); got != is {
			t.Errorf("%s: %t, want %t", name, got, is)
		}
	}
}

func TestAModuleWithoutALicenseIsNotPacked(t *testing.T) {
	_, err := licensesIn(t.TempDir(), "example.com/module")
	if err == nil || !strings.Contains(err.Error(), "example.com/module has no license") {
		t.Errorf("the error is %v", err)
	}
}

func TestEveryPlatformHasItsOwnNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range platforms {
		for _, name := range append([]string{npmName(p), archiveName(release{version: "1"}, p), p.String()}, p.wheels...) {
			if seen[name] {
				t.Errorf("%s is the name for two platforms", name)
			}
			seen[name] = true
		}
	}
	if got, want := npmArchiveName(npmName(platforms[0]), "1.2.3"), "canisterd-linux-x64-1.2.3.tgz"; got != want {
		t.Errorf("the archive is %s, want %s", got, want)
	}
}

func TestManifestsNameTheArchivesByDigest(t *testing.T) {
	out := t.TempDir()
	r := release{version: "1.2.3", time: commitTime}
	var builds []build
	for _, p := range platforms {
		if err := os.WriteFile(filepath.Join(out, archiveName(r, p)), []byte(p.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		builds = append(builds, build{platform: p})
	}
	if err := writeManifests(r, builds, out); err != nil {
		t.Fatal(err)
	}
	for name, systems := range map[string]string{
		"canisterd.rb": "linux darwin", "canisterd.json": "windows", "canisterd.canisterd.installer.yaml": "windows",
	} {
		text, err := os.ReadFile(filepath.Join(out, "manifests", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range platforms {
			digest := fmt.Sprintf("%x", sha256.Sum256([]byte(p.String())))
			if got, want := strings.Contains(string(text), digest), strings.Contains(systems, p.goos); got != want {
				t.Errorf("%s: the archive for %s is named: %t, want %t", name, p, got, want)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "manifests", "canisterd.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Errorf("the manifest of Scoop is no JSON:\n%s", text)
	}
}
