package snapshotdir

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
)

// fake is a snapshot of a canister in memory. It answers so many requests for data, and then fails.
type fake struct {
	about  *management.SnapshotMetadata
	parts  map[Part][]byte
	chunks map[string][]byte

	mu    sync.Mutex // guards the others
	left  int
	asked int
}

var errFake = errors.New("the connection is lost")

func (f *fake) spend() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.left--; f.left < 0 {
		return errFake
	}
	return nil
}

func (f *fake) Metadata(context.Context) (*management.SnapshotMetadata, error) { return f.about, nil }

func (f *fake) Read(_ context.Context, p Part, offset, size uint64) ([]byte, error) {
	if size > MaxSliceBytes {
		return nil, fmt.Errorf("a slice of %d bytes", size)
	}
	return f.parts[p][offset : offset+size], f.spend()
}

func (f *fake) ReadChunk(_ context.Context, hash []byte) ([]byte, error) {
	return f.chunks[hex.EncodeToString(hash)], f.spend()
}

func (f *fake) Begin(_ context.Context, about *management.SnapshotMetadata) ([]byte, error) {
	f.about, f.chunks, f.parts = about, map[string][]byte{}, map[Part][]byte{}
	for _, p := range parts {
		f.parts[p.part] = make([]byte, sizeOf(about, p.part))
	}
	return []byte{1, 2, 3}, nil
}

func (f *fake) Write(_ context.Context, id []byte, p Part, offset uint64, slice []byte) error {
	if !bytes.Equal(id, []byte{1, 2, 3}) || len(slice) > MaxSliceBytes {
		return fmt.Errorf("%d bytes for %x", len(slice), id)
	}
	copy(f.parts[p][offset:], slice)
	return f.spend()
}

func (f *fake) WriteChunk(_ context.Context, _, chunk []byte) error {
	f.chunks[hashOf(chunk)] = chunk
	return f.spend()
}

func hashOf(chunk []byte) string {
	sum := sha256.Sum256(chunk)
	return hex.EncodeToString(sum[:])
}

func pointer[T any](v T) *T { return &v }

// example is a snapshot with several slices of each part, holes, and two chunks.
func example() *fake {
	pattern := func(n int) []byte {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(i * i / 7)
		}
		return text
	}
	f := &fake{parts: map[Part][]byte{Module: pattern(2_500_000), Heap: pattern(5 << 20), Stable: make([]byte, 3<<20)}, chunks: map[string][]byte{}, left: 1000}
	clear(f.parts[Heap][1<<20 : 4<<20])
	f.parts[Stable][3<<20-1] = 9
	f.about = &management.SnapshotMetadata{
		Source: &management.SnapshotSource{Taken: &candid.Reserved{}}, Taken: 1_893_456_000_000_000_001, ModuleSize: 2_500_000, HeapSize: 5 << 20, StableSize: 3 << 20, Version: 4,
		Globals:   []management.SnapshotGlobal{{I32: pointer(int32(-1))}, {I64: pointer(int64(1 << 60))}, {F32: pointer(float32(1.5))}, {F64: pointer(-0.25)}, {V128: pointer(candid.NatOf(7))}},
		Certified: management.Numbers("ok"), Timer: &management.SnapshotTimer{Active: pointer(uint64(1_893_456_000_000_000_002))}, Hook: &management.SnapshotHook{Ready: &candid.Null{}},
	}
	for _, chunk := range []string{"one", "two"} {
		f.chunks[hashOf([]byte(chunk))] = []byte(chunk)
		sum := sha256.Sum256([]byte(chunk))
		f.about.Chunks = append(f.about.Chunks, management.ChunkHash{Hash: sum[:]})
	}
	return f
}

func equal(t *testing.T, got, want *fake) {
	t.Helper()
	if same, err := sameMetadata(got.about, want.about); !same || err != nil {
		t.Errorf("the metadata is %+v (%v), want %+v", got.about, err, want.about)
	}
	for _, p := range parts {
		if !bytes.Equal(got.parts[p.part], want.parts[p.part]) {
			t.Errorf("%s differs", p.file)
		}
	}
	if len(got.chunks) != len(want.chunks) {
		t.Errorf("there are %d chunks, want %d", len(got.chunks), len(want.chunks))
	}
}

func TestASnapshotPassesThroughADirectory(t *testing.T) {
	dir, from, to := filepath.Join(t.TempDir(), "new", "dir"), example(), &fake{left: 1000}
	var told int64
	if _, err := Download(t.Context(), dir, from, DownloadOptions{Tell: func(n int64) { told = n }}); err != nil {
		t.Fatal(err)
	}
	if told != from.about.Bytes() {
		t.Errorf("%d bytes were told, want %d", told, from.about.Bytes())
	}
	id, err := Upload(t.Context(), dir, to, UploadOptions{})
	if err != nil || !bytes.Equal(id, []byte{1, 2, 3}) {
		t.Fatalf("the id is %x (%v)", id, err)
	}
	equal(t, to, from)
	if writes := 2 + 2 + 1 + 2; to.asked != writes { // slices of zeros are not sent
		t.Errorf("%d slices and chunks were sent, want %d", to.asked, writes)
	}
	for _, left := range []string{downloadFile, uploadFile} {
		if directory(dir).has(left) {
			t.Errorf("%s is left", left)
		}
	}
}

// A transfer is interrupted after one request, then after two, and so on, and goes on with what is there.
func TestTransfersGoOnWhereTheyWereInterrupted(t *testing.T) {
	dir, from := t.TempDir(), example()
	var err error
	for try := 0; ; try++ {
		from.left = try + 1
		if _, err = Download(t.Context(), dir, from, DownloadOptions{Resume: try > 0, Parallel: 3}); err == nil {
			break
		}
		if !errors.Is(err, errFake) || try > 20 {
			t.Fatalf("try %d: %v", try, err)
		}
		if _, err := Upload(t.Context(), dir, &fake{}, UploadOptions{}); err == nil || !strings.Contains(err.Error(), "incomplete: finish its download with --resume") {
			t.Fatalf("an incomplete directory was uploaded: %v", err)
		}
	}
	to := &fake{}
	for try := 0; ; try++ {
		to.left = try + 1
		if _, err = Upload(t.Context(), dir, to, UploadOptions{Resume: try > 0, Parallel: 3}); err == nil {
			break
		}
		if !errors.Is(err, errFake) || try > 20 {
			t.Fatalf("try %d: %v", try, err)
		}
		if _, err := Upload(t.Context(), dir, to, UploadOptions{}); err == nil || !strings.Contains(err.Error(), "pass --resume") {
			t.Fatalf("another upload began: %v", err)
		}
	}
	equal(t, to, from)
}

func TestDirectoriesThatDoNotFitAreRefused(t *testing.T) {
	from := example()
	complete := func(t *testing.T) string {
		dir := t.TempDir()
		if _, err := Download(t.Context(), dir, from, DownloadOptions{}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	change := func(t *testing.T, path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := example()
	other.about.Taken++
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string) error
		want string
	}{
		"a second download": {func(t *testing.T, dir string) error {
			_, err := Download(t.Context(), dir, from, DownloadOptions{})
			return err
		}, "pass --resume to continue an interrupted download, or name another directory"},
		"another snapshot": {func(t *testing.T, dir string) error {
			_, err := Download(t.Context(), dir, other, DownloadOptions{Resume: true})
			return err
		}, "it has another snapshot"},
		"a resumed upload that never began": {func(t *testing.T, dir string) error {
			_, err := Upload(t.Context(), dir, &fake{}, UploadOptions{Resume: true})
			return err
		}, "has no upload to resume"},
		"a short file": {func(t *testing.T, dir string) error {
			change(t, filepath.Join(dir, "wasm_memory.bin"), "short")
			_, err := Read(dir)
			return err
		}, "wasm_memory.bin has 5 bytes, and metadata.json says 5242880"},
		"a damaged chunk": {func(t *testing.T, dir string) error {
			change(t, directory(dir).chunk(from.about.Chunks[1].Hash), "other")
			_, err := Read(dir)
			return err
		}, "is damaged: its SHA-256 is"},
		"metadata that is no JSON": {func(t *testing.T, dir string) error {
			change(t, filepath.Join(dir, "metadata.json"), "{")
			_, err := Read(dir)
			return err
		}, "unexpected end of JSON input"},
		"an unknown case": {func(t *testing.T, dir string) error {
			change(t, filepath.Join(dir, "metadata.json"), `{"global_timer": "soon"}`)
			_, err := Read(dir)
			return err
		}, `global_timer: unknown case "soon"`},
		"progress beyond the end": {func(t *testing.T, dir string) error {
			change(t, filepath.Join(dir, downloadFile), `{"wasm_module": {"frontier": 99999999, "ahead": []}}`)
			_, err := Download(t.Context(), dir, from, DownloadOptions{Resume: true})
			return err
		}, "99999999 bytes of wasm_module.bin are written, but it has only 2500000"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.do(t, complete(t)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Download(t.Context(), t.TempDir(), from, DownloadOptions{Resume: true}); err == nil || !strings.Contains(err.Error(), "it has no download to resume") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no snapshot: metadata.json is missing") {
		t.Errorf("an empty directory: %v", err)
	}
}

func TestAJSONFileHasAtMost16MiB(t *testing.T) {
	dir := directory(t.TempDir())
	if err := dir.writeJSON(metadataFile, "x"); err != nil {
		t.Fatal(err)
	}
	read := func(n int64) string {
		if err := os.Truncate(dir.path(metadataFile), n); err != nil { // zeros follow the value
			t.Fatal(err)
		}
		return fmt.Sprint(dir.readJSON(metadataFile, new(string)))
	}
	if got := read(16 << 20); !strings.Contains(got, "invalid character") {
		t.Errorf("it is not read: %s", got)
	}
	if got := read(16<<20 + 1); !strings.HasSuffix(got, "metadata.json has more than 16777216 bytes: that is the limit") {
		t.Errorf("a byte more: %s", got)
	}
}

// icpMetadata is metadata.json as serde_json writes the type ReadCanisterSnapshotMetadataResult of
// ic-management-canister-types.
const icpMetadata = `{
  "source": {
    "taken_from_canister": null
  },
  "taken_at_timestamp": 1762300000000000000,
  "wasm_module_size": 8,
  "globals": [
    {
      "i32": 1048576
    },
    {
      "i64": -5
    }
  ],
  "wasm_memory_size": 65536,
  "stable_memory_size": 0,
  "wasm_chunk_store": [],
  "canister_version": 3,
  "certified_data": [
    255,
    0
  ],
  "global_timer": "inactive",
  "on_low_wasm_memory_hook_status": "condition_not_satisfied"
}`

func TestADirectoryOfICPCLIIsReadAndWrittenTheSame(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"metadata.json": icpMetadata, "wasm_module.bin": "\x00asm\x01\x00\x00\x00", "wasm_memory.bin": strings.Repeat("\x00", 65535) + "x", "stable_memory.bin": "", ".lock": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "wasm_chunk_store"), 0o700); err != nil {
		t.Fatal(err)
	}
	to := &fake{left: 10}
	if _, err := Upload(t.Context(), dir, to, UploadOptions{}); err != nil {
		t.Fatal(err)
	}
	if to.about.Timer.Inactive == nil || *to.about.Globals[1].I64 != -5 || string(to.about.Certified) != "\xff\x00" || to.about.Hook.NotSatisfied == nil || to.parts[Heap][65535] != 'x' {
		t.Errorf("it is read as %+v", to.about)
	}
	copied := t.TempDir()
	if _, err := Download(t.Context(), copied, to, DownloadOptions{}); err != nil {
		t.Fatal(err)
	}
	var got, want any
	text, err := os.ReadFile(filepath.Join(copied, "metadata.json"))
	if err != nil || json.Unmarshal(text, &got) != nil || json.Unmarshal([]byte(icpMetadata), &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("it is written as %s (%v)", text, err)
	}
	for _, p := range parts {
		if content, err := os.ReadFile(filepath.Join(copied, p.file)); err != nil || !bytes.Equal(content, to.parts[p.part]) {
			t.Errorf("%s has %d bytes (%v)", p.file, len(content), err)
		}
	}
}

// icp-cli reads several slices at once: those ahead of the frontier are there.
func TestADownloadThatICPCLIBeganGoesOn(t *testing.T) {
	dir, from, to := t.TempDir(), example(), &fake{left: 100}
	from.left = 1
	if _, err := Download(t.Context(), dir, from, DownloadOptions{}); !errors.Is(err, errFake) {
		t.Fatal(err)
	}
	for _, offset := range []int64{2000000, 4000000} {
		heap, err := os.OpenFile(filepath.Join(dir, "wasm_memory.bin"), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := heap.WriteAt(from.parts[Heap][offset:min(offset+MaxSliceBytes, int64(len(from.parts[Heap])))], offset); err != nil {
			t.Fatal(err)
		}
		if err := heap.Close(); err != nil {
			t.Fatal(err)
		}
	}
	progress := `{"wasm_module": {"frontier": 2000000, "ahead": []}, "wasm_memory": {"frontier": 0, "ahead": [2000000, 4000000]}, "stable_memory": {"frontier": 0, "ahead": []}}`
	if err := os.WriteFile(filepath.Join(dir, ".download_progress.json"), []byte(progress), 0o600); err != nil {
		t.Fatal(err)
	}
	from.left, from.asked = 100, 0
	if _, err := Download(t.Context(), dir, from, DownloadOptions{Resume: true}); err != nil {
		t.Fatal(err)
	}
	if slices := 1 + 1 + 2 + 2; from.asked != slices {
		t.Errorf("%d slices and chunks were read, want %d", from.asked, slices)
	}
	if _, err := Upload(t.Context(), dir, to, UploadOptions{}); err != nil {
		t.Fatal(err)
	}
	equal(t, to, from)
}

// A directory with digests is private, and says where it was damaged.
func TestDigestsFindDamage(t *testing.T) {
	dir, from := filepath.Join(t.TempDir(), "clone"), example()
	from.left = 2
	if _, err := Download(t.Context(), dir, from, DownloadOptions{Digests: true, Parallel: 4}); !errors.Is(err, errFake) || !IsIncomplete(dir) {
		t.Fatal(err)
	}
	from.left = 1000
	if _, err := Download(t.Context(), dir, from, DownloadOptions{Digests: true, Parallel: 4, Resume: true}); err != nil || IsIncomplete(dir) {
		t.Fatal(err)
	}
	whole := t.TempDir()
	if _, err := Download(t.Context(), whole, from, DownloadOptions{Digests: true, Parallel: 4}); err != nil {
		t.Fatal(err)
	}
	resumed, err := Digest(dir)
	if want, errWhole := Digest(whole); err != nil || errWhole != nil || !bytes.Equal(resumed, want) {
		t.Errorf("the digest is %x (%v), without an interruption %x (%v)", resumed, err, want, errWhole)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "stable_memory.bin"): 0o600, filepath.Join(dir, metadataFile): 0o600} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %v (%v), want %v", path, info.Mode(), err, mode)
		}
	}
	to := &fake{left: 1000}
	if _, err := Upload(t.Context(), dir, to, UploadOptions{Progress: ".upload-there.json", Parallel: 4}); err != nil {
		t.Fatal(err)
	}
	equal(t, to, from)
	heap := filepath.Join(dir, "wasm_memory.bin")
	if err := os.Truncate(heap, 2_000_001); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(heap, int64(from.about.HeapSize)); err != nil { // zeros from there on, which an upload would not send
		t.Fatal(err)
	}
	if _, err := Upload(t.Context(), dir, &fake{left: 1000}, UploadOptions{}); err == nil || !strings.Contains(err.Error(), "wasm_memory.bin is damaged: the SHA-256 of") {
		t.Errorf("damage that is only zeros: %v", err)
	}
	if !HasUpload(dir, uploadFile) || HasUpload(dir, ".upload-there.json") {
		t.Error("only the upload that failed can be resumed")
	}
}
