package knownmodules

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// known returns a module whose hash begins with a byte.
func known(first byte, name string) Module {
	return Module{Hash: Hash{first}, Name: name, Source: "a test"}
}

func listOf(t testing.TB, modules ...Module) *List {
	t.Helper()
	text, err := (&List{Modules: modules}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	l, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheListOfTheProgramIsAsItIsWritten(t *testing.T) {
	l := BuiltIn()
	if len(l.Modules) == 0 {
		t.Fatal("it is empty")
	}
	text, err := l.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(text)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(l) {
		t.Errorf("%v (%v), want %v", again, err, l)
	}
	for _, m := range l.Modules {
		if m.Interface == "" {
			t.Errorf("%s has no interface", &m)
		}
	}
}

func TestInvalidListsAreRefusedWithWhatIsWrong(t *testing.T) {
	const hash = "0100000000000000000000000000000000000000000000000000000000000000"
	one := func(fields string) string { return `{"version": 1, "modules": [{` + fields + `}]}` }
	valid := `"sha256": "` + hash + `", "name": "a", "source": "b"`
	if _, err := Parse([]byte(one(valid))); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		``:                                       "invalid list of modules: unexpected end of JSON input",
		`[]`:                                     "invalid list of modules: json: cannot unmarshal array",
		`{"modules": []}`:                        `expected {"version": 1, "modules": […]}`,
		`{"version": 2, "new": 1}`:               "version 2 of the format, and this canisterd reads versions up to 1: update canisterd",
		one(valid + `, "other": 1`):              `unknown field "other"`,
		one(valid) + "{}":                        "after top-level value",
		one(`"name": "a", "source": "b"`):        "module 1 of the list (0000000000000000000000000000000000000000000000000000000000000000): expected sha256, name and source",
		one(`"sha256": "` + hash + `"`):          "expected sha256, name and source",
		one(`"sha256": "01", "name": "a"`):       `invalid hash "01": expected SHA-256 as 64 hexadecimal digits`,
		one(`"sha256": 1`):                       "cannot unmarshal number",
		one(valid + `, "version": "\u001b[2J"`):  `characters that cannot be printed`,
		one(valid + `, "interface": "a\u202eb"`): `characters that cannot be printed`,
		one(valid + `}, {` + valid):              "module 2 of the list: " + hash + " is listed twice",
		one(valid + `, "interface": "` + strings.Repeat("x", MaxTextBytes+1) + `"`): fmt.Sprintf("a text of %d bytes, and at most 300 are kept", MaxTextBytes+1),
		strings.Repeat(" ", MaxBytes+1):                                             "has 4194305 bytes, and at most 4194304 are read",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: %v, want an error with %q", text, err, want)
		}
	}
	if _, err := Parse([]byte(one(valid + `, "interface": "` + strings.Repeat("x", MaxTextBytes) + `"`))); err != nil {
		t.Error(err)
	}
	for size, valued := range map[int]bool{4096: true, 4097: false} {
		if _, err := Parse([]byte(one(valid + `, "init": "` + strings.Repeat("x", size) + `"`))); (err == nil) != valued {
			t.Errorf("an argument of %d bytes: %v", size, err)
		}
	}
	if _, err := Parse([]byte(one(valid) + strings.Repeat(" ", MaxBytes-len(one(valid))))); err != nil {
		t.Error(err)
	}
}

func TestAListHasALimitOfModules(t *testing.T) {
	l := &List{Format: Format}
	for i := range MaxModules {
		l.Modules = append(l.Modules, Module{Hash: Hash{1, byte(i), byte(i >> 8)}, Name: "a", Source: "b"})
	}
	if err := l.check(); err != nil {
		t.Error(err)
	}
	l.Modules = append(l.Modules, known(2, "a"))
	if err := l.check(); err == nil || !strings.Contains(err.Error(), "10001 modules, and at most 10000 are kept") {
		t.Errorf("%d modules: %v", len(l.Modules), err)
	}
}

func TestAnUpdateAddsAndReplacesModulesInAPrivateFile(t *testing.T) {
	file := File(filepath.Join(t.TempDir(), "data", "known-modules.json"))
	index := NewIndex(file)
	first := known(1, "first")
	if index.Find(first.Hash[:]) != nil {
		t.Error("a module is known before the update")
	}
	ours := BuiltIn().Modules[0]
	renamed := ours
	renamed.Name = "another"
	for _, step := range []struct {
		with            []Module
		added, replaced int
	}{
		{[]Module{first, renamed}, 1, 0},
		{[]Module{first}, 0, 0},
		{[]Module{known(1, "renamed"), known(2, "second")}, 1, 1},
	} {
		added, replaced, err := file.Update(listOf(t, step.with...))
		if err != nil || added != step.added || replaced != step.replaced {
			t.Errorf("%v: %d added, %d replaced (%v), want %d and %d", step.with, added, replaced, err, step.added, step.replaced)
		}
	}
	l, err := file.Read()
	if err != nil || len(l.Modules) != 2 {
		t.Fatalf("%v (%v)", l, err)
	}
	if m := index.Find(first.Hash[:]); m == nil || m.String() != "renamed (a test)" {
		t.Errorf("the first module is %v", m)
	}
	if m := index.Find(ours.Hash[:]); m == nil || *m != ours {
		t.Errorf("a module of the program is %v", m)
	}
	info, err := os.Stat(string(file))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", info.Mode(), err)
	}
}

func TestAFileThatCannotBeReadIsNamedAndHidesNoOtherModules(t *testing.T) {
	file := File(filepath.Join(t.TempDir(), "known-modules.json"))
	if err := os.WriteFile(string(file), []byte(`{"version": 9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Read(); err == nil || !strings.Contains(err.Error(), "update canisterd") || !strings.Contains(err.Error(), string(file)) {
		t.Errorf("the error is %v", err)
	}
	if _, _, err := file.Update(listOf(t, known(1, "one"))); err == nil {
		t.Error("an update replaced a file of a later version")
	}
	ours := BuiltIn().Modules[0]
	if NewIndex(file).Find(ours.Hash[:]) == nil || NewIndex("").Find(ours.Hash[:]) == nil {
		t.Error("a module of the program is not found")
	}
	if NewIndex("").Find(ours.Hash[:4]) != nil || NewIndex("").Find(nil) != nil {
		t.Error("a part of a hash is found")
	}
}

func TestAnUpdateDoesNotMakeTheFileTooLarge(t *testing.T) {
	file := File(filepath.Join(t.TempDir(), "known-modules.json"))
	many := func(from byte) *List {
		l := &List{Format: Format}
		for i := range MaxModules / 2 {
			text := strings.Repeat("x", MaxTextBytes)
			l.Modules = append(l.Modules, Module{Hash: Hash{from, byte(i), byte(i >> 8)}, Name: text, Interface: text, Source: "b"})
		}
		return l
	}
	if _, _, err := file.Update(many(1)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(string(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := file.Update(many(2)); err == nil || !strings.Contains(err.Error(), "at most 4194304 are kept") {
		t.Errorf("the second half: %v", err)
	}
	if after, err := os.ReadFile(string(file)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a refused update changed the file (%v)", err)
	}
}

func TestTheBytesOfAModuleAreKeptByTheirHash(t *testing.T) {
	file := File(filepath.Join(t.TempDir(), "data", "known-modules.json"))
	content := []byte("a module")
	m := Module{Hash: sha256.Sum256(content), Name: "a", Source: "b", File: "a.wasm"}
	if got, err := file.Module(m.Hash); got != nil || err != nil {
		t.Errorf("before, they are %q (%v)", got, err)
	}
	if err := file.KeepModule(&m, []byte("another")); err == nil || !strings.Contains(err.Error(), "a.wasm has the SHA-256 ") {
		t.Errorf("another module: %v", err)
	}
	if err := file.KeepModule(&m, content); err != nil {
		t.Fatal(err)
	}
	if got, err := file.Module(m.Hash); !bytes.Equal(got, content) || err != nil {
		t.Errorf("they are %q (%v)", got, err)
	}
	if _, _, err := file.Update(listOf(t, m)); err != nil {
		t.Fatal(err)
	}
	if l, err := file.Read(); err != nil || l.Modules[0].File != "" {
		t.Errorf("the list has the file of another list: %v (%v)", l, err)
	}
	if err := os.WriteFile(file.ModulePath(m.Hash), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Module(m.Hash); err == nil || !strings.Contains(err.Error(), "has another SHA-256 than its name") {
		t.Errorf("changed bytes: %v", err)
	}
	if got, err := File("").Module(m.Hash); got != nil || err != nil {
		t.Errorf("without a folder they are %q (%v)", got, err)
	}
}

func TestAModuleOf100MiBIsKept(t *testing.T) {
	file := File(filepath.Join(t.TempDir(), "known-modules.json"))
	for size, read := range map[int64]bool{100 << 20: true, 100<<20 + 1: false} {
		hash := Hash{byte(size)}
		if err := os.MkdirAll(filepath.Dir(file.ModulePath(hash)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.ModulePath(hash), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file.ModulePath(hash), size); err != nil {
			t.Fatal(err)
		}
		_, err := file.Module(hash)
		if err == nil || strings.Contains(err.Error(), "another SHA-256") != read {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func FuzzListsAreReadAsTheyAreWritten(f *testing.F) {
	f.Add(builtIn)
	f.Add([]byte(`{"version": 1, "modules": []}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := Parse(text)
		if err != nil {
			return
		}
		written, err := l.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(written); err != nil || fmt.Sprint(again.Modules) != fmt.Sprint(l.Modules) {
			t.Errorf("%v became %v (%v)", l, again, err)
		}
	})
}
