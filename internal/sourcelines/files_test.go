package sourcelines_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// naming returns the name of a file as compilers name it in a unit of a directory, in which a file main.c lies, too.
func naming(t *testing.T, directory, file string) string {
	t.Helper()
	program := slices.Concat(one(2, 10, 1), one(13, 10, 2))
	module, base := wasm([]int{10, 10}, debug(directory, tableOf(nil, []string{"0" + file, "0main.c"}, program...)))
	line, ok := read(t, module).At(base + 2)
	if !ok {
		t.Fatalf("%s has no line", file)
	}
	return line.File
}

func TestFilesHaveTheSameNameOnEveryComputer(t *testing.T) {
	const p = "/p/bank"
	for _, c := range []struct {
		directory, file, want string
		own                   bool
	}{
		{p, "src/lib.rs", "src/lib.rs", true},
		{p, "./src/../src/lib.rs", "src/lib.rs", true},
		{p, "/p/bank/src/lib.rs", "src/lib.rs", true},
		{p + "/", "/p/bank/src/lib.rs", "src/lib.rs", true},
		{p, "/p/banker/src/lib.rs", "/p/banker/src/lib.rs", true},
		{p, "../shared/lib.rs", "/p/shared/lib.rs", true},
		{"", "src/lib.rs", "src/lib.rs", true},
		{"/", "/src/lib.rs", "src/lib.rs", true},
		{`C:\p\bank`, `C:\p\bank\src\lib.rs`, "src/lib.rs", true},
		{`C:\p\bank`, `src/lib.rs`, "src/lib.rs", true},
		{p, "/rustc/59807616e1a2/library/core/src/num/mod.rs", "/rustc/library/core/src/num/mod.rs", false},
		{p, "/usr/src/rustc-1.63.0/library/core/src/num/mod.rs", "/rustc/library/core/src/num/mod.rs", false},
		{p, "/h/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/io.rs", "/rustc/library/std/src/io.rs", false},
		{p, "/rust/deps/hashbrown-0.15.2/src/raw.rs", "hashbrown-0.15.2/src/raw.rs", false},
		{p, "/h/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.219/src/lib.rs", "serde-1.0.219/src/lib.rs", false},
		{p, `C:\h\.cargo\registry\src\index.crates.io-1\serde_json-1.0.0-rc.1\src\lib.rs`, "serde_json-1.0.0-rc.1/src/lib.rs", false},
		{p, "/h/.cargo/git/checkouts/ic-0f3a5b7c9d1e2f40/a1b2c3d/src/lib.rs", "ic-0f3a5b7c9d1e2f40/a1b2c3d/src/lib.rs", false},
		{p, "vendor/serde/src/lib.rs", "vendor/serde/src/lib.rs", false},
		{p, "target/wasm32-unknown-unknown/release/build/x-1/out/gen.rs", "target/wasm32-unknown-unknown/release/build/x-1/out/gen.rs", false},
		{p, "/usr/include/stdlib.h", "/usr/include/stdlib.h", false},
		{p, "/opt/wasi-sdk-25/share/a.c", "/opt/wasi-sdk-25/share/a.c", false},
		{p, "<::core::macros>", "<::core::macros>", false},
		{p, "/p/bank/.mops/base@0.7.0/src/Array.mo", ".mops/base@0.7.0/src/Array.mo", false},
		{p, "/p/bank/node_modules/x/a.ts", "node_modules/x/a.ts", false},
	} {
		got := naming(t, c.directory, c.file)
		if got != c.want || sourcelines.Own(got) != c.own {
			t.Errorf("%s in %s is %s, own %t; want %s, own %t", c.file, c.directory, got, sourcelines.Own(got), c.want, c.own)
		}
	}
}

func TestOwnFilesAreThoseThatLookLikeNothingElse(t *testing.T) {
	for file, want := range map[string]bool{
		"lib.rs": true, "src/Main.mo": true, "../lib/A.mo": true, "vendor/src/lib.rs": true, "target/lib.rs": true, "bank-2/src/lib.rs": true,
		"bank-1.0/src/lib.rs": true, "a-b/c.rs": true, "ic-0f3a5b7c9d1e2f40/src/lib.rs": true, "serde-1.0.219": true, "prelude.mo": true,
		"": false, ".": false, "prelude": false, "prim": false, "internals": false, "timers-api": false, "rts.wasm": false, "mo:base/Array.mo": false,
		"a-b-1.2.3/c.rs": false, "/nix/store/x/a.c": false, "x/wasi-libc/a.c": false, ".vessel/base/v/src/A.mo": false,
	} {
		if got := sourcelines.Own(file); got != want {
			t.Errorf("%q is own: %t", file, got)
		}
	}
}

func TestTheRootIsTheDirectoryOfMostOwnFiles(t *testing.T) {
	file := func(n int) []byte { return one(uint32(2+11*n), 10, 1) }
	sections := func(directories ...string) []byte {
		var units, tables []byte
		for i, d := range directories {
			units = append(units, unitOf(uint32(len(tables)), d)...)
			name := string(rune('a'+i)) + ".rs"
			if d == "/p/dep" {
				name = "/h/registry/src/x/dep-1.0.0/src/lib.rs"
			}
			tables = append(tables, tableOf(nil, []string{"0" + name}, file(i)...)...)
		}
		return slices.Concat(custom(".debug_abbrev", abbreviation), custom(".debug_info", units), custom(".debug_line", tables))
	}
	for _, c := range []struct {
		directories, files []string
		root               string
	}{
		{[]string{"/p/other", "/p/bank", "/p/bank"}, []string{"/p/other/a.rs", "b.rs", "c.rs"}, "/p/bank"},
		{[]string{"/p/dep", "/p/dep", "/p/bank"}, []string{"c.rs", "dep-1.0.0/src/lib.rs"}, "/p/bank"},
		{[]string{"/p/long", "/p/b", "/p/a"}, []string{"/p/b/b.rs", "/p/long/a.rs", "c.rs"}, "/p/a"},
	} {
		module, _ := wasm([]int{10, 10, 10}, sections(c.directories...))
		lines := read(t, module)
		if lines.Root() != c.root || !slices.Equal(lines.Files(), c.files) {
			t.Errorf("units in %q have root %q and files %q", c.directories, lines.Root(), lines.Files())
		}
	}
}
