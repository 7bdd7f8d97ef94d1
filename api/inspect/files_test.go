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
	for name, f := range files() {
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

func TestEveryFileIsServedOnceWhileItStaysTheSame(t *testing.T) {
	for name, f := range files() {
		w := answerTo(request(http.MethodGet, Path+"files/"+name, ""))
		if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), f.content) || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: status %d, type %q", name, w.Code, w.Header().Get("Content-Type"))
		}
		again := request(http.MethodGet, Path+"files/"+name, "")
		again.Header.Set("If-None-Match", w.Header().Get("ETag"))
		if w := answerTo(again); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("an unchanged %s: status %d", name, w.Code)
		}
	}
	for _, name := range []string{"nothing.js", "../handler.go", "vendor", ""} {
		if w := answerTo(request(http.MethodGet, Path+"files/"+name, "")); w.Code != 404 {
			t.Errorf("%q: status %d", name, w.Code)
		}
	}
}

// Texts of canisters must stay texts: nothing in the page turns a text into HTML or into a script.
func TestNothingInThePageMakesHTMLOfText(t *testing.T) {
	made := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function|srcdoc|javascript:`)
	for name, f := range files() {
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
	for name, f := range files() {
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
