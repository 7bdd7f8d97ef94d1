package inspect

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Bytes of all files of the page, as they are and compressed.
const (
	maxPageBytes       = 600 << 10
	maxCompressedBytes = 150 << 10
)

func TestThePageIsSmall(t *testing.T) {
	total := 0
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range pages().files {
		if strings.HasSuffix(name, ".txt") {
			continue // licenses, which no page loads
		}
		total += len(f.content)
		if _, err := w.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if total > maxPageBytes || packed.Len() > maxCompressedBytes {
		t.Errorf("the page has %d bytes, %d compressed: at most %d and %d", total, packed.Len(), maxPageBytes, maxCompressedBytes)
	}
}

func TestABrowserKeepsFilesOfAVersionAndAsksForTheIndex(t *testing.T) {
	below := filesPath + pages().version + "/"
	for name, f := range pages().files {
		w := answerTo(request(http.MethodGet, below+name, ""))
		if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), f.content) || w.Header().Get("Content-Type") == "" || !strings.HasSuffix(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
		again := request(http.MethodGet, below+name, "")
		again.Header.Set("If-None-Match", w.Header().Get("ETag"))
		if w := answerTo(again); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("an unchanged %s: status %d", name, w.Code)
		}
	}
	for _, path := range []string{below + "nothing.js", below + "../handler.go", below + "vendor", below, filesPath + "app.js", filesPath + strings.Repeat("0", 32) + "/app.js"} {
		if w := answerTo(request(http.MethodGet, path, "")); w.Code != 404 || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%q: status %d, %v", path, w.Code, w.Header())
		}
	}
	index := answerTo(request(http.MethodGet, Path+"now", ""))
	if index.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("the index: %v", index.Header())
	}
	named := strings.Count(index.Body.String(), filesPath)
	if named < 8 || strings.Count(index.Body.String(), below) != named {
		t.Errorf("the index names files of another version or of none:\n%s", index.Body)
	}
	if own := regexp.MustCompile("'sha256-[^']+'").FindString(index.Header().Get("Content-Security-Policy")); own != importMap() {
		t.Errorf("the policy allows the import map %s, and the page has %s", own, importMap())
	}
}

func TestScriptsOfThePageImportFilesOfTheirOwnVersion(t *testing.T) {
	imported := regexp.MustCompile(`(?:from|import) "([^"]+)"`)
	known := string(pages().files[indexFile].content) // has the import map
	for name, f := range pages().files {
		if name == "test_pic.js" { // the test that it writes imports packages, in its text
			continue
		}
		for _, found := range imported.FindAllSubmatch(f.content, -1) {
			if from := string(found[1]); !strings.HasPrefix(from, "./") && !strings.Contains(known, `"`+from+`": "`+filesPath+pages().version+"/") {
				t.Errorf("%s imports %s", name, from)
			}
		}
	}
}

// Texts of canisters must stay texts: nothing in the page turns a text into HTML or into a script.
func TestNothingInThePageMakesHTMLOfText(t *testing.T) {
	made := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function|srcdoc|javascript:`)
	for name, f := range pages().files {
		if strings.HasPrefix(name, "vendor/") {
			continue
		}
		if found := made.Find(f.content); found != nil {
			t.Errorf("%s has %s", name, found)
		}
		if outside := regexp.MustCompile(`https?://[a-z]`).Find(f.content); outside != nil && name != "icon.svg" {
			t.Errorf("%s names another host: %s", name, outside)
		}
	}
}

func TestLibrariesAreAsTheirAuthorsPublishThem(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "vendor.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	for name, f := range pages().files {
		if !strings.HasPrefix(name, "vendor/") || strings.HasSuffix(name, "README.txt") {
			continue
		}
		sum := sha256.Sum256(f.content)
		if got := hex.EncodeToString(sum[:]); got != want[name] {
			t.Errorf("%s has the hash %s, want %q: testdata/vendor.sha256 lists what was published", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}
