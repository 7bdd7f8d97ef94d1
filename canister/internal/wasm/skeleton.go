package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// The engine below validates the code of a module before it looks for its compiled form, which takes longer than to load
// that. It needs only the rest of the module then. So the compiled form is kept under the name that the engine gives to
// that of the skeleton of the module, and loaded with the skeleton.

// skeletonSection has the hash of the module in its skeleton.
const skeletonSection = "canisterd:code"

func skeletonOf(m *rewrite.Module) []byte {
	return wasmfile.Skeleton(m.Binary, skeletonSection, m.BinaryHash[:])
}

// codeNames are the names of the files in which the engine keeps the compiled form of a module, by the features of the
// processor that it distinguishes: there are three.
type codeNames [8]string

// codeNamesOf returns the names for a module without listeners, in a runtime that does not end modules with contexts.
func codeNamesOf(module []byte) (names codeNames) {
	id := sha256.New()
	id.Write(module)
	id.Write([]byte{0})
	for features := range names {
		key := sha256.New()
		key.Write(id.Sum(nil))
		key.Write([]byte("WAZEVO"))
		key.Write(binary.LittleEndian.AppendUint64(nil, uint64(features)))
		names[features] = hex.EncodeToString(key.Sum(nil))
	}
	return names
}

// nameBySkeleton renames the compiled form of a module in a folder of the engine. A form that has a name of another kind
// keeps it, and is found with the whole module.
func nameBySkeleton(dir string, m *rewrite.Module) error {
	whole, skeleton := codeNamesOf(m.Binary), codeNamesOf(skeletonOf(m))
	files, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	for _, path := range files {
		if i := slices.Index(whole[:], filepath.Base(path)); i >= 0 {
			if err := os.Rename(path, filepath.Join(filepath.Dir(path), skeleton[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadBySkeleton loads the compiled form that is kept under the name of the skeleton, and reports whether there is one.
// The engine must not compile the skeleton, whose functions trap: it finds the compiled form, or the context has ended.
func (c *Code) loadBySkeleton() (compiled wazero.CompiledModule, ok bool) {
	disk := c.engine.disk
	if disk == nil {
		return nil, false
	}
	skeleton := skeletonOf(c.module)
	names := codeNamesOf(skeleton)
	if r, err := readReceipt(disk.receiptPath(c.module.BinaryHash)); err != nil || !slices.Contains(names[:], r.file) {
		return nil, false
	}
	ended, end := context.WithCancel(context.Background())
	end()
	compiled, err := c.engine.whole.runtime.CompileModule(experimental.WithCompilationWorkers(ended, workersThatEnd), skeleton)
	return compiled, err == nil
}
