package canister

import (
	"io"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// CacheContent says what was written to a cache file, or read from it.
type CacheContent = wasm.CacheContent

// ExportCache writes the compiled modules in a folder (EngineConfig.CacheDir) that this program uses on this processor to a
// cache file.
func ExportCache(dir string, out io.Writer) (CacheContent, error) {
	return wasm.ExportCache(dir, out, formKeys)
}

// ImportCache adds the compiled modules of a cache file to a folder (EngineConfig.CacheDir), all or none of them. It
// refuses a file of another build or processor. The file has native code that runs in this process.
func ImportCache(dir string, in io.Reader) (CacheContent, error) { return wasm.ImportCache(dir, in) }

// Knows reports whether the folder of the engine has the compiled form of a module as uploaded.
func (e *Engine) Knows(uploaded []byte) bool {
	m, ok := e.wasm.CachedModule(e.keyOf(rewrite.Hash(uploaded), form{}))
	return ok && e.wasm.HasCompiled(m)
}
