package assets

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
)

// fake is an asset canister in memory, which keeps what its methods got.
type fake struct {
	assets map[string]*fakeAsset
	chunks [][]byte
	calls  []string
	failed error // the answer to each query
}

type fakeAsset struct {
	kind      string
	encodings map[string][]byte
	hashes    map[string][]byte
}

func (f *fake) Query(_ context.Context, method string, argument []byte) ([]byte, error) {
	if method != "list" || candid.Unmarshal(argument, &struct{}{}) != nil || f.failed != nil {
		return nil, f.failed
	}
	all := []listed{}
	for _, key := range slices.Sorted(maps.Keys(f.assets)) {
		l := listed{Key: key, Kind: f.assets[key].kind, Encodings: []listedEncoding{}}
		for name, hash := range f.assets[key].hashes {
			l.Encodings = append(l.Encodings, listedEncoding{name, &hash})
		}
		all = append(all, l)
	}
	return candid.Marshal(all)
}

func (f *fake) Update(_ context.Context, method string, argument []byte) ([]byte, error) {
	f.calls = append(f.calls, method)
	switch method {
	case "create_batch":
		return candid.Marshal(batch{candid.NatOf(7)})
	case "create_chunk":
		var c chunk
		if err := candid.Unmarshal(argument, &c); err != nil || len(c.Content) > maxChunkBytes {
			return nil, fmt.Errorf("a chunk of %d bytes: %w", len(c.Content), err)
		}
		f.chunks = append(f.chunks, bytes.Clone(c.Content))
		return candid.Marshal(storedChunk{candid.NatOf(uint64(len(f.chunks) - 1))})
	case "commit_batch":
		var c commit
		if err := candid.Unmarshal(argument, &c); err != nil {
			return nil, err
		}
		for _, o := range c.Operations {
			if err := f.apply(o); err != nil {
				return nil, err
			}
		}
		return candid.Marshal()
	}
	return nil, fmt.Errorf("no method %s", method)
}

func (f *fake) apply(o operation) error {
	switch {
	case o.Create != nil:
		if f.assets[o.Create.Key] != nil {
			return fmt.Errorf("%s exists", o.Create.Key)
		}
		f.assets[o.Create.Key] = &fakeAsset{o.Create.Kind, map[string][]byte{}, map[string][]byte{}}
	case o.Set != nil:
		var text []byte
		for _, id := range o.Set.Chunks {
			n, _ := id.Uint64()
			text = append(text, f.chunks[n]...)
		}
		f.assets[o.Set.Key].encodings[o.Set.Encoding], f.assets[o.Set.Key].hashes[o.Set.Encoding] = text, *o.Set.Hash
	case o.Unset != nil:
		delete(f.assets[o.Unset.Key].encodings, o.Unset.Encoding)
		delete(f.assets[o.Unset.Key].hashes, o.Unset.Encoding)
	case o.Delete != nil:
		delete(f.assets, o.Delete.Key)
	}
	return nil
}

func unpacked(t *testing.T, text []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestOnlyWhatChangedIsUploaded(t *testing.T) {
	long := strings.Repeat("a line of text\n", 100)
	f := &fake{assets: map[string]*fakeAsset{}}
	for _, c := range []struct {
		what  string
		files map[string]string
		want  Done
		calls string
	}{
		{"the first", map[string]string{"/index.html": long, "/logo.png": "png", "/empty.txt": "", "/app.unknown": long}, Done{Uploaded: 4}, "create_batch create_chunk create_chunk create_chunk create_chunk create_chunk commit_batch"},
		{"the same", map[string]string{"/index.html": long, "/logo.png": "png", "/empty.txt": "", "/app.unknown": long}, Done{Unchanged: 4}, ""},
		{"one changes, one is gone", map[string]string{"/index.html": long + "more", "/logo.png": "png", "/empty.txt": ""}, Done{Uploaded: 1, Deleted: 1, Unchanged: 2}, "create_batch create_chunk create_chunk commit_batch"},
		{"one is too short for gzip", map[string]string{"/index.html": "short", "/logo.png": "png", "/empty.txt": ""}, Done{Uploaded: 1, Unchanged: 2}, "create_batch create_chunk commit_batch"},
		{"none is left", nil, Done{Deleted: 3}, "create_batch commit_batch"},
	} {
		f.calls = nil
		files := map[string][]byte{}
		for key, text := range c.files {
			files[key] = []byte(text)
		}
		done, err := Upload(t.Context(), f, files)
		if err != nil || done != c.want || strings.Join(f.calls, " ") != c.calls {
			t.Errorf("%s: %+v (%v) with %v, want %+v with %s", c.what, done, err, f.calls, c.want, c.calls)
		}
		if len(f.assets) != len(c.files) {
			t.Errorf("%s: there are %d assets", c.what, len(f.assets))
		}
		for key, text := range c.files {
			a := f.assets[key]
			if string(a.encodings[identity]) != text || a.encodings[packed] != nil && unpacked(t, a.encodings[packed]) != text {
				t.Errorf("%s: %s is not as it should be", c.what, key)
			}
			if small := a.encodings[packed] != nil; small != (key == "/index.html" && text != "short") {
				t.Errorf("%s: %s is packed: %t", c.what, key, small)
			}
		}
	}
}

func TestAFileOfAnotherTypeIsMadeAgain(t *testing.T) {
	text := []byte("text")
	old := contentOf(text)
	f := &fake{assets: map[string]*fakeAsset{"/a.css": {"text/plain", map[string][]byte{identity: text}, map[string][]byte{identity: old.hash}}}}
	if _, err := Upload(t.Context(), f, map[string][]byte{"/a.css": text}); err != nil || f.assets["/a.css"].kind != "text/css" || string(f.assets["/a.css"].encodings[identity]) != "text" {
		t.Errorf("it is %+v (%v)", f.assets["/a.css"], err)
	}
}

func TestLongContentsAreSentInChunks(t *testing.T) {
	f := &fake{assets: map[string]*fakeAsset{}}
	long := make([]byte, 2*maxChunkBytes+1)
	long[len(long)-1] = 1
	if _, err := Upload(t.Context(), f, map[string][]byte{"/long.bin": long}); err != nil || len(f.chunks) != 3 || !bytes.Equal(f.assets["/long.bin"].encodings[identity], long) {
		t.Errorf("there are %d chunks (%v)", len(f.chunks), err)
	}
}

func TestACanisterWithoutTheInterfaceIsNamed(t *testing.T) {
	f := &fake{failed: errors.New("no query method 'list'")}
	if _, err := Upload(t.Context(), f, nil); !errors.Is(err, errNoAssets) || !errors.Is(err, f.failed) {
		t.Errorf("it is %v", err)
	}
	many := map[string][]byte{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprint("/", i)] = nil
	}
	if _, err := Upload(t.Context(), f, many); err == nil || !strings.Contains(err.Error(), "there are 20001 files: at most 20000") {
		t.Errorf("too many: %v", err)
	}
	delete(many, "/0")
	if _, err := Upload(t.Context(), f, many); !errors.Is(err, errNoAssets) { // as many as may be
		t.Errorf("as many as may be: %v", err)
	}
}
