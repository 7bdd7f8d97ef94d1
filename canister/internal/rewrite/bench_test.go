package rewrite

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// kernels are compute loops whose pointers have the type P, so that the same code exists for both memories. Each
// exports f (n P) -> i64.
var kernels = []struct {
	name string
	n    uint64
	text string
}{
	{"fib", 24, `(func $fib (export "f") (param $n P) (result i64)
	  local.get $n P.const 2 P.lt_u if (result i64) local.get $n EXT else
	  local.get $n P.const 1 P.sub call $fib local.get $n P.const 2 P.sub call $fib i64.add end)`},
	{"alu", 300000, `(func (export "f") (param $n P) (result i64) (local $h i64)
	  loop local.get $h local.get $n EXT i64.xor i64.const 1099511628211 i64.mul i64.const 13 i64.rotl local.set $h
	  local.get $n P.const 1 P.sub local.tee $n P.const 0 P.ne br_if 0 end local.get $h)`},
	{"sum", 8192, `(func (export "f") (param $n P) (result i64) (local $i P) (local $s i64) (local $r i32)
	  loop P.const 0 local.set $i
	    loop local.get $s local.get $i i64.load i64.add local.set $s
	    local.get $i P.const 8 P.add local.tee $i local.get $n P.const 8 P.mul P.lt_u br_if 0 end
	  local.get $r i32.const 1 i32.add local.tee $r i32.const 30 i32.lt_s br_if 0 end local.get $s)`},
	{"stores", 8192, `(func (export "f") (param $n P) (result i64) (local $i P) (local $r i64)
	  loop P.const 0 local.set $i
	    loop local.get $i local.get $r i64.store local.get $i local.get $r i64.store offset=8
	    local.get $i P.const 16 P.add local.tee $i local.get $n P.const 8 P.mul P.lt_u br_if 0 end
	  local.get $r i64.const 1 i64.add local.tee $r i64.const 40 i64.lt_s br_if 0 end local.get $r)`},
	{"sieve", 200000, `(func (export "f") (param $n P) (result i64) (local $i P) (local $j P) (local $c i64)
	  P.const 0 i32.const 1 local.get $n memory.fill
	  P.const 2 local.set $i
	  loop local.get $i i32.load8_u if
	      local.get $c i64.const 1 i64.add local.set $c
	      local.get $i local.get $i P.mul local.tee $j local.get $n P.lt_u if
	      loop local.get $j i32.const 0 i32.store8 local.get $j local.get $i P.add local.tee $j local.get $n P.lt_u br_if 0 end end
	    end
	    local.get $i P.const 1 P.add local.tee $i local.get $n P.lt_u br_if 0 end local.get $c)`},
	{"rand", 200000, `(func (export "f") (param $n P) (result i64) (local $x P) (local $a P)
	  loop local.get $x P.const 1103515245 P.mul P.const 12345 P.add local.tee $x P.const 1048568 P.and local.tee $a
	    local.get $a i64.load i64.const 1 i64.add i64.store
	  local.get $n P.const 1 P.sub local.tee $n P.const 0 P.ne br_if 0 end local.get $a i64.load)`},
	{"objects", 20000, `(func $new (param $next P) (param $v i64) (result P) (local $p P)
	    global.get $top local.tee $p P.const 24 P.add global.set $top
	    local.get $p i64.const 7 i64.store local.get $p local.get $v i64.store offset=8 local.get $p local.get $next P.store offset=16 local.get $p)
	  (func (export "f") (param $n P) (result i64) (local $l P) (local $s i64)
	  P.const 8 global.set $top
	  loop local.get $l local.get $n EXT call $new local.set $l local.get $n P.const 1 P.sub local.tee $n P.const 0 P.ne br_if 0 end
	  loop local.get $l i64.load i64.const 7 i64.ne if unreachable end
	    local.get $s local.get $l i64.load offset=8 i64.add local.set $s local.get $l P.load offset=16 local.tee $l P.const 0 P.ne br_if 0 end
	  local.get $s)`},
	{"matrix", 40, `(func (export "f") (param $n P) (result i64) (local $i P) (local $j P) (local $k P) (local $s f64)
	  loop P.const 0 local.set $j
	    loop P.const 0 local.set $k f64.const 0 local.set $s
	      loop local.get $s
	        local.get $i local.get $n P.mul local.get $k P.add P.const 3 P.shl f64.load
	        local.get $k local.get $n P.mul local.get $j P.add P.const 3 P.shl f64.load offset=100000 f64.mul f64.add local.set $s
	        local.get $k P.const 1 P.add local.tee $k local.get $n P.lt_u br_if 0 end
	      local.get $i local.get $n P.mul local.get $j P.add P.const 3 P.shl local.get $s f64.store offset=200000
	      local.get $j P.const 1 P.add local.tee $j local.get $n P.lt_u br_if 0 end
	    local.get $i P.const 1 P.add local.tee $i local.get $n P.lt_u br_if 0 end
	  P.const 200000 i64.load)`},
	{"sha256", 300, `(func $s (param $x i32) (param $a i32) (param $b i32) (param $c i32) (result i32)
	    local.get $x local.get $a i32.rotr local.get $x local.get $b i32.rotr i32.xor local.get $x local.get $c i32.rotr i32.xor)
	  (func (export "f") (param $n P) (result i64) (local $i P) (local $w P) (local $a i32) (local $b i32) (local $c i32) (local $d i32)
	    (local $e i32) (local $f i32) (local $g i32) (local $h i32) (local $t i32)
	  loop P.const 64 local.set $i
	    loop local.get $i P.const 1024 P.add local.tee $w
	      local.get $w i32.load offset=4 i32.const 7 i32.rotr local.get $w i32.load offset=4 i32.const 18 i32.rotr i32.xor
	      local.get $w i32.load offset=56 i32.const 17 i32.rotr i32.add local.get $w i32.load offset=36 i32.add local.get $w i32.load i32.add
	      i32.store offset=64
	      local.get $i P.const 4 P.add local.tee $i P.const 256 P.lt_u br_if 0 end
	    P.const 0 local.set $i
	    loop local.get $h local.get $e i32.const 6 i32.rotr local.get $e i32.const 11 i32.rotr i32.xor local.get $e i32.const 25 i32.rotr i32.xor i32.add
	      local.get $e local.get $f i32.and local.get $e i32.const -1 i32.xor local.get $g i32.and i32.xor i32.add
	      local.get $i i32.load offset=512 i32.add local.get $i i32.load offset=1088 i32.add local.set $t
	      local.get $g local.set $h local.get $f local.set $g local.get $e local.set $f local.get $d local.get $t i32.add local.set $e
	      local.get $c local.set $d local.get $b local.set $c local.get $a local.set $b
	      local.get $t local.get $a i32.const 2 i32.const 13 i32.const 22 call $s i32.add
	      local.get $a local.get $b i32.and i32.add local.set $a
	      local.get $i P.const 4 P.add local.tee $i P.const 256 P.lt_u br_if 0 end
	  local.get $n P.const 1 P.sub local.tee $n P.const 0 P.ne br_if 0 end local.get $a i64.extend_i32_u)`},
}

// actors is code as the Motoko compiler writes it: small functions, tagged and boxed values, dispatch through tables.
var actors = []struct {
	name string
	n    uint64
	text string
}{
	{"boxed", 20000, `(type $m (func (param P P) (result P)))
	  (func $alloc (param $size P) (result P) (local $p P) global.get $top local.tee $p local.get $size P.add global.set $top
	    global.get $top P.const 1000000 P.gt_u if P.const 8 global.set $top end local.get $p)
	  (func $box (param $v i64) (result P) (local $p P) P.const 16 call $alloc local.tee $p i64.const 3 i64.store local.get $p local.get $v i64.store offset=8 local.get $p)
	  (func $unbox (param $p P) (result i64) local.get $p i64.load i64.const 3 i64.ne if unreachable end local.get $p i64.load offset=8)
	  (func $add (type $m) (param $x P) (param $y P) (result P) local.get $x call $unbox local.get $y call $unbox i64.add call $box)
	  (func $mul (type $m) (param $x P) (param $y P) (result P) local.get $x call $unbox local.get $y call $unbox i64.mul call $box)
	  (table 2 funcref) (elem (i32.const 0) $add $mul)
	  (func (export "f") (param $n P) (result i64) (local $acc P)
	  i64.const 1 call $box local.set $acc
	  loop local.get $acc local.get $n EXT call $box local.get $n WRAP i32.const 1 i32.and call_indirect (type $m) local.set $acc
	    local.get $n P.const 1 P.sub local.tee $n P.const 0 P.ne br_if 0 end
	  local.get $acc call $unbox)`},
}

func kernelModule(text, pointer string) string {
	ext, wrap, limit := "", "i32.wrap_i64", "i64 32"
	if pointer == "i32" {
		ext, wrap, limit = "i64.extend_i32_u", "", "32"
	}
	text = strings.NewReplacer("P.", pointer+".", " P)", " "+pointer+")", "(param P P)", "(param "+pointer+" "+pointer+")", "EXT", ext, "WRAP", wrap).Replace(text)
	return "(module (memory " + limit + ") (global $top (mut " + pointer + ") (" + pointer + ".const 8)) " + text + ")"
}

// timed is a compiled kernel.
type timed struct {
	f       api.Function
	counter api.MutableGlobal // nil where nothing is metered
	n       uint64
	stack   [1]uint64
}

func (k *timed) run(b *testing.B) time.Duration {
	k.stack[0] = k.n
	if k.counter != nil {
		k.counter.Set(NewCounter(MaxInstructions))
	}
	from := time.Now()
	if err := k.f.CallWithStack(context.Background(), k.stack[:]); err != nil {
		b.Fatal(err)
	}
	return time.Since(from)
}

func original(b *testing.B, raw []byte, n uint64) *timed {
	inst, err := engine(b).InstantiateWithConfig(context.Background(), raw, wazero.NewModuleConfig())
	if err != nil {
		b.Fatal(err)
	}
	return &timed{f: inst.ExportedFunction("f"), n: n}
}

func rewritten(b *testing.B, text string, n uint64) *timed {
	g := start(b, rewriteText(b, text, conformance))
	return &timed{f: g.inst.ExportedFunction("f"), counter: g.counter, n: n}
}

// metering is a kernel metered, and as it was.
func metering(b *testing.B, name string, n uint64, text string) ratio.Pair {
	over, under := rewritten(b, text, n), original(b, assemble(b, text), n)
	return ratio.Pair{Name: name, Measured: func() time.Duration { return over.run(b) }, Floor: func() time.Duration { return under.run(b) }}
}

// BenchmarkRatioMeteringKernels is what metering costs loops that compute; the floor
// is the same modules as they were. Geometric means.
func BenchmarkRatioMeteringKernels(b *testing.B) {
	var pairs []ratio.Pair
	for _, k := range kernels {
		pairs = append(pairs, metering(b, k.name, k.n, kernelModule(k.text, "i32")))
	}
	ratio.CompareMeans(b, 1.3, pairs)
}

// BenchmarkRatioMeteringBoxed is the same for a program of nothing but calls and
// boxed values, where metering costs most. No limit: programs of users are between this one and the kernels.
func BenchmarkRatioMeteringBoxed(b *testing.B) {
	var pairs []ratio.Pair
	for _, k := range actors {
		pairs = append(pairs, metering(b, k.name, k.n, kernelModule(k.text, "i32")))
	}
	ratio.CompareMeans(b, 0, pairs)
}

// BenchmarkRatioLowering is what a 64-bit memory costs; the floor is the same code
// over a 32-bit one, both metered. Geometric means.
func BenchmarkRatioLowering(b *testing.B) {
	var pairs []ratio.Pair
	for _, k := range append(slices.Clone(kernels), actors...) {
		wide, narrow := rewritten(b, kernelModule(k.text, "i64"), k.n), rewritten(b, kernelModule(k.text, "i32"), k.n)
		pairs = append(pairs, ratio.Pair{
			Name: k.name, Measured: func() time.Duration { return wide.run(b) }, Floor: func() time.Duration { return narrow.run(b) },
		})
	}
	ratio.CompareMeans(b, 1.2, pairs)
}

// BenchmarkRatioRewrite is the pass over a module of about 1 MB; the floor is hashing
// the same bytes.
func BenchmarkRatioRewrite(b *testing.B) {
	body := strings.ReplaceAll(kernels[8].text, `(export "f")`, "")
	body = body[strings.Index(body, "(func  (param"):]
	helper := kernels[8].text[:strings.Index(kernels[8].text, `(func (export`)]
	raw := assemble(b, kernelModule(helper+strings.Repeat(body, 4200), "i64"))
	ratio.Compare(b, 45, ratio.Each(func() {
		if _, err := Rewrite(raw, conformance); err != nil {
			b.Fatal(err)
		}
	}), ratio.Each(func() { sha256.Sum256(raw) }))
}

func TestWithoutMeteringProgramsGiveTheSameAndAreNotCharged(t *testing.T) {
	off := conformance
	off.unmetered = true
	for _, k := range append(slices.Clone(kernels), actors...) {
		for _, pointer := range []string{"i32", "i64"} {
			text := kernelModule(k.text, pointer)
			metered, bare := start(t, rewriteText(t, text, conformance)), start(t, rewriteText(t, text, off))
			want, err := metered.call("f", k.n/10)
			if err != nil {
				t.Fatal(err)
			}
			got, err := bare.call("f", k.n/10)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s over %s gives %d (%v), want %d", k.name, pointer, got, err, want)
			}
			if bare.used() != 0 || metered.used() == 0 {
				t.Errorf("%s over %s is charged %d without metering, %d with", k.name, pointer, bare.used(), metered.used())
			}
		}
	}
}
