//go:build dist && linux && amd64

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPackageHasTheBinaryOfTheArchive: what is not installed here has a binary that an archive has, too.
func TestEveryPackageHasTheBinaryOfTheArchive(t *testing.T) {
	layout := readTar(t, found(t, *packages, "canisterd-*-oci.tar"))
	for _, p := range platforms {
		want := binaryIn(t, archivePattern(p), "canisterd-*/"+p.program())
		for pattern, member := range packagesOf(p) {
			if got := binaryIn(t, pattern, member); got != want {
				t.Errorf("%s: the binary in %s has the digest %x, that in the archive %x", p, pattern, got, want)
			}
		}
		if p.goos != "linux" {
			continue
		}
		if got := sha256.Sum256(imageIn(t, layout, p.goarch).file(t, "canisterd")); got != want {
			t.Errorf("%s: the binary in the image has the digest %x, that in the archive %x", p, got, want)
		}
	}
}

func archivePattern(p platform) string { return archiveName(release{version: "*"}, p) }

// packagesOf returns the packages of a platform that are not its archive or an image, as patterns, with the place of the
// binary in each.
func packagesOf(p platform) map[string]string {
	all := map[string]string{npmArchiveName(npmName(p), "*"): "package/bin/" + p.program()}
	for _, tags := range p.wheels {
		all["canisterd-*-py3-none-"+tags+".whl"] = "canisterd-*.data/scripts/" + p.program()
	}
	if p.goos == "linux" {
		machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.goarch]
		all["canisterd_*_"+p.goarch+".deb"] = "./usr/bin/canisterd"
		all["canisterd-*."+machine+".rpm"] = "*usr/bin/canisterd"
		all["canisterd_*_"+machine+".apk"] = "usr/bin/canisterd"
	}
	return all
}

// binaryIn returns the digest of a file of a package. member is a pattern.
func binaryIn(t *testing.T, pattern, member string) [sha256.Size]byte {
	t.Helper()
	unpack := map[string]string{
		".zip": `unzip -p "$1" "$2"`,
		".whl": `unzip -p "$1" "$2"`,
		".deb": `dpkg-deb --fsys-tarfile "$1" | tar -xO "$2"`,
		".rpm": `rpm2cpio "$1" | cpio --extract --to-stdout --quiet "$2"`,
	}[filepath.Ext(pattern)]
	if unpack == "" {
		unpack = `tar -xzOf "$1" --wildcards "$2"`
	}
	binary, err := exec.Command("sh", "-c", unpack, "sh", found(t, *packages, pattern), member).Output()
	if err != nil || len(binary) == 0 {
		t.Fatalf("unpacking %s of %s: %d bytes, %v", member, pattern, len(binary), err)
	}
	return sha256.Sum256(binary)
}

func TestTwoRunsMakeTheSameBytes(t *testing.T) {
	again := filepath.Join(filepath.Dir(*packages), "dist-again")
	for _, dir := range [][2]string{{*packages, again}, {again, *packages}} {
		compareDirectories(t, dir[0], dir[1])
	}
}

// compareDirectories reports files of a directory that are missing in another one, or differ there.
func compareDirectories(t *testing.T, dir, other string) {
	t.Helper()
	for _, relative := range filesBelow(t, dir) {
		one, err := os.ReadFile(filepath.Join(dir, relative))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(other, relative))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(one, two) {
			t.Errorf("%s differs between two runs", relative)
		}
	}
}

func TestTheChecksumsAreThoseOfThePackages(t *testing.T) {
	do(t, *packages, "sha256sum", "--check", "--strict", "checksums.txt")
}

func TestTheBillOfMaterialsNamesTheModulesOfTheBinary(t *testing.T) {
	for _, p := range platforms {
		text, err := os.ReadFile(found(t, *packages, fmt.Sprintf("canisterd-*-%s-%s.cdx.json", p.goos, p.goarch)))
		if err != nil {
			t.Fatal(err)
		}
		var bill struct {
			BOMFormat  string `json:"bomFormat"`
			Components []struct{ Name string }
		}
		decode(t, text, &bill)
		var names []string
		for _, c := range bill.Components {
			names = append(names, c.Name)
		}
		if all := strings.Join(names, " "); bill.BOMFormat != "CycloneDX" || !strings.Contains(all, "github.com/tetratelabs/wazero") {
			t.Errorf("%s: the bill in the format %q lists %s", p, bill.BOMFormat, all)
		}
	}
}

// alpineVersion matches versions that apk orders, as far as ours need them.
var alpineVersion = regexp.MustCompile(`(?m)^pkgver = [0-9]+(\.[0-9]+)*(_(alpha|beta|pre|rc)[0-9]*)?$`)

func TestThePackageOfAlpineHasAVersionAndTheDigestOfItsFiles(t *testing.T) {
	for _, machine := range []string{"x86_64", "aarch64"} {
		data, err := os.ReadFile(found(t, *packages, "canisterd_*_"+machine+".apk"))
		if err != nil {
			t.Fatal(err)
		}
		rest := bytes.NewReader(data)
		control, err := gzip.NewReader(rest)
		if err != nil {
			t.Fatal(err)
		}
		control.Multistream(false)
		text, err := io.ReadAll(control)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(data[len(data)-rest.Len():]) // of what follows, as it is compressed
		if want := fmt.Sprintf("datahash = %x\n", digest); !strings.Contains(string(text), want) || !alpineVersion.Match(text) {
			t.Errorf("%s: the control file lacks %q, or its version is not valid for apk:\n%s", machine, want, text)
		}
	}
}

// fileOfPage matches the names of files in the second column of a table of a page.
var fileOfPage = regexp.MustCompile("(?m)^\\| [^|]+ \\| (`[^|]+`)[^|`]* \\|")

func TestThePageAboutInstallationsNamesFilesThatAreMade(t *testing.T) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := fileOfPage.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 10 {
		t.Fatalf("the page has %d rows with files, want one for each kind of package", len(rows))
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			pattern := strings.NewReplacer("VERSION", "[0-9]*", "…", "*", "`", "").Replace(name)
			if files, err := filepath.Glob(filepath.Join(*packages, pattern)); err != nil || len(files) == 0 {
				t.Errorf("the page names %s, and there is no such file in %s (%v)", name, *packages, err)
			}
		}
	}
}

func TestThePackageOfNPMForEachPlatformHasItsBinary(t *testing.T) {
	for _, p := range platforms {
		name := found(t, *packages, npmArchiveName(npmName(p), "*"))
		listed := do(t, ".", "tar", "-tvzf", name)
		if want := fmt.Sprintf("package/bin/%s", p.program()); !strings.Contains(listed, want) || !strings.Contains(listed, "-rwxr-xr-x") {
			t.Errorf("%s has\n%s", filepath.Base(name), listed)
		}
	}
}
