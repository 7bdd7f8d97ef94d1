package inspect

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"sync"
)

//go:embed page
var pageFiles embed.FS

// indexFile is the page itself.
const indexFile = "index.html"

// file is a file of the page.
type file struct {
	content []byte
	kind    string // its Content-Type
	tag     string // its ETag
}

// files are the files of the page, by their path below page/.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	root, err := fs.Sub(pageFiles, "page")
	if err == nil {
		err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(root, name)
			hash := sha256.Sum256(content)
			all[name] = file{content, kindOf(name), strconv.Quote(hex.EncodeToString(hash[:8]))}
			return err
		})
	}
	if err != nil {
		panic("inspect: bug: reading the embedded files: " + err.Error())
	}
	return all
})

// importMap returns the value of Content-Security-Policy that allows the page's import map, the only script that is part
// of the page itself: browsers read import maps from nowhere else.
var importMap = sync.OnceValue(func() string {
	const begin, end = `<script type="importmap">`, "</script>"
	_, rest, found := bytes.Cut(files()[indexFile].content, []byte(begin))
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

// serveFile sends a file. The browser asks each time whether it has changed: the daemon may be another version.
func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := files()[name]
	switch {
	case !ok:
		http.Error(w, "the inspector has no file "+strconv.Quote(name), http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "files take GET and HEAD, not "+r.Method, http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Cache-Control", "no-cache")
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
