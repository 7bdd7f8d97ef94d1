package inspect

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed page
var pageFiles embed.FS

// indexFile is the page itself.
const indexFile = "index.html"

// filesPath is where the files of the page are in their texts. They are served below their version there.
const filesPath = Path + "files/"

// file is a file of the page.
type file struct {
	content []byte
	kind    string // its Content-Type
	tag     string // its ETag
}

// pageSet is the files of the page, by their path below page/. Scripts import each other by relative paths, and so from
// the same version.
type pageSet struct {
	files   map[string]file
	version string // a hash of all contents
}

// pages returns the files of the page. The index names the others with their version.
var pages = sync.OnceValue(func() pageSet {
	set := pageSet{files: map[string]file{}}
	root, err := fs.Sub(pageFiles, "page")
	all := sha256.New()
	if err == nil {
		err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error { // in lexical order
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(root, name)
			fmt.Fprintf(all, "%q %q\n", name, content)
			set.files[name] = file{content, kindOf(name), tagOf(content)}
			return err
		})
	}
	if err != nil {
		panic("inspect: bug: reading the embedded files: " + err.Error())
	}
	set.version = hex.EncodeToString(all.Sum(nil)[:16])
	index := bytes.ReplaceAll(set.files[indexFile].content, []byte(filesPath), []byte(filesPath+set.version+"/"))
	set.files[indexFile] = file{index, kindOf(indexFile), tagOf(index)}
	return set
})

// tagOf returns the ETag of a content.
func tagOf(content []byte) string {
	hash := sha256.Sum256(content)
	return strconv.Quote(hex.EncodeToString(hash[:8]))
}

// importMap returns the value of Content-Security-Policy that allows the page's import map, the only script that is part
// of the page itself: browsers read import maps from nowhere else.
var importMap = sync.OnceValue(func() string {
	const begin, end = `<script type="importmap">`, "</script>"
	_, rest, found := bytes.Cut(pages().files[indexFile].content, []byte(begin))
	text, _, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		panic("inspect: bug: " + indexFile + " has no import map")
	}
	hash := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
})

// kindOf returns the Content-Type of a file. It does not depend on the tables of the system.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// serveFile sends a file of a version: VERSION/NAME. Its content never changes.
func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	version, name, _ := strings.Cut(name, "/")
	f, ok := pages().files[name]
	if !ok || version != pages().version {
		http.Error(w, "this version of the inspector has no file "+strconv.Quote(name)+": load the page again", http.StatusNotFound)
		return
	}
	sendFile(w, r, f, fmt.Sprintf("max-age=%d, immutable", fileAge))
}

// sendFile sends a file that browsers keep as Cache-Control says.
func sendFile(w http.ResponseWriter, r *http.Request, f file, keep string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "files take GET and HEAD, not "+r.Method, http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Cache-Control", keep)
	header.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(f.content)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(f.content) // a browser that is gone misses it
	}
}
