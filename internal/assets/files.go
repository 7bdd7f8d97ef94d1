package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Encodings of contents.
const (
	identity = "identity"
	packed   = "gzip"
)

// asset is a file as the canister has it.
type asset struct {
	kind      string             // the type of its content
	encodings map[string]content // by their names
}

type content struct {
	bytes []byte
	hash  []byte // SHA-256
}

func contentOf(text []byte) content {
	hash := sha256.Sum256(text)
	return content{text, hash[:]}
}

// kinds are the types of contents by the ends of names. The table of the system would differ between machines.
var kinds = map[string]string{
	".avif": "image/avif", ".bmp": "image/bmp", ".css": "text/css", ".csv": "text/csv", ".gif": "image/gif", ".htm": "text/html", ".html": "text/html",
	".ico": "image/x-icon", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript", ".json": "application/json", ".map": "application/json",
	".md": "text/markdown", ".mjs": "text/javascript", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".ogg": "audio/ogg", ".otf": "font/otf", ".pdf": "application/pdf",
	".png": "image/png", ".svg": "image/svg+xml", ".ttf": "font/ttf", ".txt": "text/plain", ".wasm": "application/wasm", ".wav": "audio/wav", ".webm": "video/webm",
	".webmanifest": "application/manifest+json", ".webp": "image/webp", ".woff": "font/woff", ".woff2": "font/woff2", ".xml": "application/xml", ".zip": "application/zip",
}

// packable are the types of contents, beside texts, that gzip makes smaller.
var packable = []string{"application/json", "application/manifest+json", "application/wasm", "application/xml", "image/svg+xml", "image/bmp", "image/x-icon", "font/otf", "font/ttf"}

// kindOf returns the type of the content of a file.
func kindOf(key string) string {
	if kind := kinds[strings.ToLower(path.Ext(key))]; kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// assetOf returns a file with its encodings. The same content always has the same: gzip writes no time.
func assetOf(key string, text []byte) (*asset, error) {
	a := &asset{kindOf(key), map[string]content{identity: contentOf(text)}}
	if !strings.HasPrefix(a.kind, "text/") && !slices.Contains(packable, a.kind) {
		return a, nil
	}
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packing %s: %w", key, err)
	}
	if small.Len() < len(text) {
		a.encodings[packed] = contentOf(small.Bytes())
	}
	return a, nil
}
