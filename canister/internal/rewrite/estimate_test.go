package rewrite

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func estimated(t testing.TB, raw []byte) (*Module, error) {
	t.Helper()
	return Rewrite(raw, Options{SystemAPI: func(string, bool) ([]byte, []byte, bool) { return nil, nil, false }})
}

// larger are sizes at which a shape would take the compiler from seconds to hours.
var larger = map[string]int{
	"nested loops that assign locals": 1000, "nested loops that read locals": 1000, "loops in a row": 700, "five loops": 16384,
	"uses after many branches": 6000, "loads after many branches": 6000, "branches after many loads": 6000, "ifs in a row": 15000, "branches alone": 18000,
	"nested ifs": 15000, "assignments that meet": 3000, "locals across branches": 3000, "operands across branches": 8000,
	"calls of a thousand operands": 4000, "calls and globals": 15000, "a switch": 100_000, "a switch into blocks": 3000, "a switch in a loop": 3000,
	"types and functions": 40_000, "copies": 30_000,
}

func TestModulesThatTakeTheCompilerTooLongAreRefused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(larger)) {
		t.Run(name, func(t *testing.T) {
			shape := shapes[name]
			if _, err := estimated(t, shape.make(shape.size).encode()); err != nil {
				t.Fatalf("of size %d: %v", shape.size, err)
			}
			raw := shape.make(larger[name]).encode()
			_, err := estimated(t, raw)
			if err == nil || !strings.Contains(err.Error(), "which exceeds the maximum complexity allowed") {
				t.Errorf("%d bytes: %v", len(raw), err)
			}
		})
	}
}

func TestTheTextSaysWhichFunctionIsTooComplexAndWhoseLimitItIs(t *testing.T) {
	raw := shapes["nested loops that assign locals"].make(1000).encode()
	_, err := estimated(t, raw)
	invalid, ok := err.(*Invalid)
	if !ok {
		t.Fatal(err)
	}
	want := "Canister's Wasm module is not valid: Wasm module contains a function at index 0 with complexity 2000001 which exceeds the maximum complexity allowed 2000000.\n" +
		"Complexity is the time to compile the code here, in microseconds, as estimated from its loops, branches and locals: it grows with loops times locals and " +
		"with branches times live values. The limit is the daemon's own. Try breaking large functions up into multiple smaller functions."
	if got := invalid.Message(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestManyFunctionsBelowTheLimitAreAboveThatOfTheModule(t *testing.T) {
	part := shapes["operands across branches"].make(2000)
	if _, err := estimated(t, part.encode()); err != nil {
		t.Fatal(err)
	}
	part.functions = slices.Repeat(part.functions, 10)
	_, err := estimated(t, part.encode())
	const text = "Canister's Wasm module is not valid: Wasm module of 10 functions and %d operators has complexity %d which exceeds the maximum complexity allowed %d."
	var operators, complexity, allowed int
	if _, bad := fmt.Sscanf(fmt.Sprint(err), text, &operators, &complexity, &allowed); bad != nil {
		t.Fatalf("%v: %v", err, bad)
	}
	if allowed != 5_000_000+8*operators || complexity <= allowed {
		t.Error(err)
	}
}

// The function has 15,000 blocks of its own and nearly 30,000 constructs that the rewriter adds.
func TestConstructsThatTheRewriterAddsAreNotMoreThanTheirTime(t *testing.T) {
	fill := always(opLocalGet, 0, opLocalGet, 0, opLocalGet, 0, opMisc, miscMemoryFill, 0)
	fills := func(int) []byte { return slices.Concat(blocks(0), leaveIf(0), times(100, fill), ends(0)) }
	m, err := estimated(t, oneFunction(1, 0, 0, times(295, fills), times(15_000, always(opBlock, blockEmpty, opUnreachable, opEnd))).encode())
	if err != nil {
		t.Fatal(err)
	}
	if m.CompileTime < 1_500_000_000 || m.CompileTime > 2_000_000_000 {
		t.Errorf("it is estimated at %d us", m.CompileTime/1000)
	}
}

func TestFixturesAreFarBelowTheLimits(t *testing.T) {
	files, err := filepath.Glob("../../../test/canistertest/fixtures/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Rewrite(raw, Options{SystemAPI: importsOf(t, raw)})
		if err != nil {
			t.Fatal(path, err)
		}
		const factor = 4
		if allowed := 5_000_000_000 + 8_000*m.Operators; m.CompileTime < 1_000*m.Operators || m.CompileTime > allowed/factor {
			t.Errorf("%s is estimated at %d us of %d", filepath.Base(path), m.CompileTime/1000, allowed/1000)
		}
	}
}

// importsOf is a System API with the functions that a module imports.
func importsOf(t testing.TB, raw []byte) func(name string, wide bool) (params, results []byte, known bool) {
	t.Helper()
	s := &source{options: conformance}
	if bad := s.parse(raw); bad != nil {
		t.Fatal(bad)
	}
	encoded := func(types string) (out []byte) {
		for i := range len(types) {
			out = append(out, valueType(types[i]).encoded())
		}
		return out
	}
	return func(name string, _ bool) (params, results []byte, known bool) {
		i := slices.IndexFunc(s.imports, func(item importItem) bool { return item.name == name })
		if i < 0 {
			return nil, nil, false
		}
		typ := s.types[s.imports[i].index]
		return encoded(typ.params), encoded(typ.results), true
	}
}
