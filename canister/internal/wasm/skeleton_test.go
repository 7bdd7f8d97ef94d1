package wasm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// codeFile returns the file with the compiled form of a module, and its name.
func codeFile(t *testing.T, e *Engine, m *rewrite.Module) (path, name string) {
	t.Helper()
	r, err := readReceipt(e.disk.receiptPath(m.BinaryHash))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(e.disk.root, "wazero-*", r.file))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0], r.file
}

// compiledIn compiles a module in an engine with a folder.
func compiledIn(t *testing.T, dir string, m *rewrite.Module) (*Engine, *Code) {
	t.Helper()
	e := newTestEngine(t, Config{CacheDir: dir})
	code, err := e.Compile(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return e, code
}

func TestCompiledCodeIsKeptUnderTheNameOfTheSkeleton(t *testing.T) {
	m := rewritten(t, counter)
	e, _ := compiledIn(t, t.TempDir(), m)
	names := codeNamesOf(skeletonOf(m))
	if _, name := codeFile(t, e, m); !slices.Contains(names[:], name) {
		t.Errorf("the compiled form is in %s: the engine names files in another way", name)
	}
}

func TestCodeThatIsLoadedWithTheSkeletonIsThatOfTheModule(t *testing.T) {
	dir, m := t.TempDir(), rewritten(t, counter)
	compiledIn(t, dir, m)
	e, code := compiledIn(t, dir, m)
	g, err := e.NewGuest(code)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	run(t, g, "inc")
	commit(t, g)
	if got := notes(t, g, "heap"); got != 8 {
		t.Errorf("the heap has %d", got)
	}
}

func TestASkeletonIsNeverCompiled(t *testing.T) {
	dir, m := t.TempDir(), rewritten(t, counter)
	e, _ := compiledIn(t, dir, m)
	path, _ := codeFile(t, e, m)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other := newTestEngine(t, Config{CacheDir: dir})
	c := other.code(m)
	if compiled, ok := c.loadBySkeleton(); ok {
		t.Fatalf("%v was made of a skeleton", compiled)
	}
	g, err := other.NewGuest(c)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	run(t, g, "inc")
	commit(t, g)
}

func TestModulesThatDifferInTheirCodeHaveDifferentSkeletons(t *testing.T) {
	text := func(n string) *rewrite.Module {
		return rewritten(t, `(module (func (export "canister_update a") (drop (i32.const `+n+`))))`)
	}
	if a, b := codeNamesOf(skeletonOf(text("1"))), codeNamesOf(skeletonOf(text("2"))); a == b {
		t.Error("they have the same skeleton")
	}
}
