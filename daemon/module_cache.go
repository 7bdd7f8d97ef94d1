package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/modulecache"
)

// ModuleCache is a directory of compiled modules, the one of Config.CacheDir.
type ModuleCache struct{ Dir string }

// OpenModuleCache opens a directory of compiled modules, "" for the user's. It refuses one that other users can write to.
func OpenModuleCache(dir string) (ModuleCache, error) {
	if dir == "" {
		if dir = modulecache.Default(slog.New(slog.DiscardHandler)); dir == "" {
			return ModuleCache{}, errors.New("no directory for compiled modules that only this user can write to: set HOME, or name one with --cache-dir")
		}
		return ModuleCache{dir}, nil
	}
	if err := modulecache.Check(dir); err != nil {
		return ModuleCache{}, cacheRefused(dir, err)
	}
	return ModuleCache{dir}, nil
}

func cacheRefused(dir string, err error) error {
	return fmt.Errorf("the directory %s cannot keep compiled modules: %w", dir, err)
}

// Export writes the modules that this program uses on this processor to a file.
func (c ModuleCache) Export(out io.Writer) (canister.CacheContent, error) {
	return canister.ExportCache(c.Dir, out)
}

// Import adds the modules of a file that Export wrote. It refuses a file of another build or processor. The file has native
// code, which daemons with this directory run.
func (c ModuleCache) Import(in io.Reader) (canister.CacheContent, error) {
	return canister.ImportCache(c.Dir, in)
}

// Compiler returns a compiler that adds modules to the directory. worker is Config.CompileWorker.
func (c ModuleCache) Compiler(worker []string) (*ModuleCompiler, error) {
	config := canister.EngineConfig{CacheDir: c.Dir, Fragments: canister.FragmentsNever}
	if len(worker) > 0 {
		config.Compiler = newCompileWorker(worker).compile
	}
	engine, err := canister.NewEngine(config)
	if err != nil {
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	return &ModuleCompiler{engine}, nil
}

// ModuleCompiler compiles modules into a ModuleCache.
type ModuleCompiler struct{ engine *canister.Engine }

// Compile compiles a module as uploaded, with the debug information of its installation (nil: none), and reports whether it
// was compiled before. The error is the one with which the network would refuse the module, or that of the compiler.
func (c *ModuleCompiler) Compile(ctx context.Context, module, sourceMap, debugFile []byte) (known bool, err error) {
	if debug := (canister.DebugInfo{SourceMap: sourceMap, DebugFile: debugFile}); debug.HasDebugInfo() {
		if err := c.engine.AddDebugInfo(module, debug); err != nil {
			return false, err
		}
	}
	known = c.engine.Knows(module)
	if _, reject := c.engine.Prepare(ctx, module); reject != nil {
		return false, errors.New(reject.Text)
	}
	return known, nil
}

// Close releases the engine. The modules stay in the directory.
func (c *ModuleCompiler) Close() error { return c.engine.Close() }
