package rewrite

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
)

// edges are addresses around every place where lowering could go wrong.
var edges = []uint64{
	0, 1, 8, 65520, 65528, 65532, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 65536, 1<<32 - 8, 1<<32 - 1, 1 << 32, 1<<32 + 8,
	1<<33 + 5, 1 << 40, 1<<63 - 1, 1 << 63, math.MaxUint64 - 7, math.MaxUint64,
}

var offsets = []uint64{0, 8, 65528, 1<<32 - 8, 1<<32 - 1, 1 << 32, 1 << 40, math.MaxUint64}

// inside tells whether size bytes at address+offset lie in one page, with numbers of any size.
func inside(address, offset, size uint64) bool {
	at, carry := bits.Add64(address, offset, 0)
	return carry == 0 && at <= 65536 && size <= 65536-at
}

func pattern(i uint64) byte { return byte(i*7 + i>>8*3 + 1) }

func patterned(g *guest) {
	page := make([]byte, 65536)
	for i := range page {
		page[i] = pattern(uint64(i))
	}
	g.inst.ExportedMemory(ExportedMemory).Write(0, page)
}

func sizeOf(o *accessOperator) uint64 { return 1 << o.align }

// accessModule has a function per access and offset. Loads come in two forms: once, and twice in a row from the same
// local.
func accessModule() string {
	var b strings.Builder
	b.WriteString("(module (memory i64 1)\n")
	for i := range memoryOps {
		o := &memoryOps[i]
		for k, offset := range offsets {
			if o.access == loadAccess {
				fmt.Fprintf(&b, "(func (export \"%s %d\") (param i64) (result %s) local.get 0 %s offset=%d)\n", o.name, k, o.value, o.name, offset)
				fmt.Fprintf(&b, "(func (export \"%s %d twice\") (param i64) (result %s) local.get 0 %s drop local.get 0 %s offset=%d)\n",
					o.name, k, o.value, o.name, o.name, offset)
			} else {
				fmt.Fprintf(&b, "(func (export \"%s %d\") (param i64 %s) local.get 0 local.get 1 %s offset=%d)\n", o.name, k, o.value, o.name, offset)
			}
		}
	}
	return b.String() + ")"
}

func TestEveryLoweredAccessTrapsExactlyOutsideTheMemory(t *testing.T) {
	t.Parallel()
	g := start(t, rewriteText(t, accessModule(), conformance))
	patterned(g)
	for i := range memoryOps {
		o := &memoryOps[i]
		for k, offset := range offsets {
			for _, address := range edges {
				name := fmt.Sprintf("%s %d", o.name, k)
				ok := inside(address, offset, sizeOf(o))
				if o.access == storeAccess {
					g.checkStore(name, o, address, offset, ok)
					continue
				}
				g.checkLoad(name, o, address, offset, ok)
				g.checkLoad(name+" twice", o, address, offset, ok && inside(address, 0, sizeOf(o)))
			}
		}
	}
}

func (g *guest) checkLoad(name string, o *accessOperator, address, offset uint64, ok bool) {
	got, err := g.call(name, address)
	if (err == nil) != ok {
		g.t.Errorf("%s at %#x+%#x: %v", name, address, offset, err)
		return
	}
	if err != nil {
		if !strings.Contains(err.Error(), "out of bounds memory access") {
			g.t.Errorf("%s at %#x+%#x: trapped with %v", name, address, offset, err)
		}
		return
	}
	var raw [8]byte
	for i := range sizeOf(o) {
		raw[i] = pattern(address + offset + i)
	}
	want := binary.LittleEndian.Uint64(raw[:])
	if strings.HasSuffix(o.name, "_s") {
		shift := 64 - 8*sizeOf(o)
		want = uint64(int64(want<<shift) >> shift)
	}
	if o.value == typeI32 || o.value == typeF32 {
		want, got[0] = uint64(uint32(want)), uint64(uint32(got[0]))
	}
	if got[0] != want {
		g.t.Errorf("%s at %#x+%#x: %#x, want %#x", name, address, offset, got[0], want)
	}
}

func (g *guest) checkStore(name string, o *accessOperator, address, offset uint64, ok bool) {
	memory := g.inst.ExportedMemory(ExportedMemory)
	_, err := g.call(name, address, 0x1122334455667788)
	if (err == nil) != ok {
		g.t.Errorf("%s at %#x+%#x: %v", name, address, offset, err)
		return
	}
	if err != nil {
		if digest(memory) != g.clean() {
			g.t.Errorf("%s at %#x+%#x: a trapping store wrote", name, address, offset)
			patterned(g)
		}
		return
	}
	b, _ := memory.Read(uint32(address+offset), uint32(sizeOf(o)))
	for i, x := range b {
		if want := byte(uint64(0x1122334455667788) >> (8 * i)); x != want {
			g.t.Errorf("%s at %#x+%#x: byte %d is %#x", name, address, offset, i, x)
		}
	}
	patterned(g)
}

// clean is the digest of the untouched pattern.
func (g *guest) clean() uint64 {
	h := uint64(14695981039346656037)
	for i := range uint64(65536) {
		h = (h ^ uint64(pattern(i))) * 1099511628211
	}
	return h ^ 65536
}

func TestVectorAccessesAreLowered(t *testing.T) {
	for code := range vectorOps {
		o := &vectorOps[code]
		if o.immediate != memoryImmediate && o.immediate != memoryLaneImmediate {
			continue
		}
		lane, value := "", ""
		if o.immediate == memoryLaneImmediate {
			lane = " 1"
		}
		if len(o.in) > 1 {
			value = "v128.const i32x4 1 2 3 4"
		}
		drop := ""
		if o.out != "" {
			drop = "drop"
		}
		size := uint64(1) << o.align
		g := start(t, rewriteText(t, fmt.Sprintf(`(module (memory i64 1) (func (export "0") (param i64) local.get 0 %s %s offset=0%s %s)
		  (func (export "1") (param i64) local.get 0 %s %s offset=4294967296%s %s))`, value, o.name, lane, drop, value, o.name, lane, drop), conformance))
		for _, address := range edges {
			if _, err := g.call("0", address); (err == nil) != inside(address, 0, size) {
				t.Errorf("%s at %#x: %v", o.name, address, err)
			}
			if _, err := g.call("1", address); err == nil {
				t.Errorf("%s at %#x with a huge offset: no trap", o.name, address)
			}
		}
	}
}

func TestBulkOperatorsOfAWideMemoryTrapExactly(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory i64 1) (data $d "0123456789")
	  (func (export "fill") (param i64 i64) local.get 0 i32.const 1 local.get 1 memory.fill)
	  (func (export "copy") (param i64 i64 i64) local.get 0 local.get 1 local.get 2 memory.copy)
	  (func (export "init") (param i64 i32 i32) local.get 0 local.get 1 local.get 2 memory.init $d))`, conformance))
	g.slice = MaxInstructions
	lengths := append([]uint64{10}, edges...)
	for _, to := range edges {
		for _, n := range lengths {
			g.reset(MaxInstructions)
			if _, err := g.call("fill", to, n); (err == nil) != inside(to, 0, n) {
				t.Errorf("fill %#x %#x: %v", to, n, err)
			}
			for _, from := range edges {
				g.reset(MaxInstructions)
				if _, err := g.call("copy", to, from, n); (err == nil) != (inside(to, 0, n) && inside(from, 0, n)) {
					t.Errorf("copy %#x %#x %#x: %v", to, from, n, err)
				}
			}
			if n <= math.MaxUint32 {
				for _, from := range []uint64{0, 1, 10, 11, math.MaxUint32} {
					g.reset(MaxInstructions)
					ok := inside(to, 0, n) && from+n <= 10
					if _, err := g.call("init", to, from, n); (err == nil) != ok {
						t.Errorf("init %#x %#x %#x: %v", to, from, n, err)
					}
				}
			}
		}
	}
}

func TestGrowingAWideMemoryAnswersInSixtyFourBits(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory i64 1 10)
	  (func (export "grow") (param i64) (result i64) local.get 0 memory.grow) (func (export "size") (result i64) memory.size))`, conformance))
	for _, c := range []struct{ delta, want, size uint64 }{
		{0, 1, 1},
		{2, 1, 3},
		{1 << 40, math.MaxUint64, 3},
		{1 << 32, math.MaxUint64, 3},
		{1<<32 + 1, math.MaxUint64, 3},
		{math.MaxUint64, math.MaxUint64, 3},
		{8, math.MaxUint64, 3},
		{7, 3, 10},
		{65536, math.MaxUint64, 10},
	} {
		got, err := g.call("grow", c.delta)
		if err != nil || got[0] != c.want {
			t.Errorf("grow by %#x: %#x, %v", c.delta, got, err)
		}
		if size, _ := g.call("size"); size[0] != c.size {
			t.Errorf("size after growing by %#x: %d, want %d", c.delta, size[0], c.size)
		}
	}
	if len(g.grown) != 9 || g.grown[2] != [2]uint32{math.MaxUint32, math.MaxUint32} || g.grown[1] != [2]uint32{1, 2} {
		t.Errorf("growth checks saw %v", g.grown)
	}
}

func TestAWideMemoryEndsOnePageBelowFourGiB(t *testing.T) {
	m := rewriteText(t, `(module (memory i64 1 98304))`, Options{SystemAPI: noSystemAPI})
	if !m.Memory64 || m.MemoryMin != 1 || m.MemoryMax != 65535 {
		t.Errorf("%+v", m)
	}
	if m := rewriteText(t, `(module (memory 3))`, Options{SystemAPI: noSystemAPI}); m.Memory64 || m.MemoryMin != 3 || m.MemoryMax != 65536 {
		t.Errorf("%+v", m)
	}
}

func TestOperatorsOfAWideTableAreLowered(t *testing.T) {
	g := start(t, rewriteText(t, `(module (table $t i64 10 20 funcref) (table $u i64 10 20 funcref) (table $n 10 funcref) (elem $e func 0 0 0)
	  (type $v (func (result i32))) (elem (table $t) (i64.const 2) func 0)
	  (func (result i32) i32.const 42)
	  (func (export "call") (param i64) (result i32) local.get 0 call_indirect $t (type $v))
	  (func (export "get") (param i64) (result i32) local.get 0 table.get $t ref.is_null)
	  (func (export "set") (param i64) local.get 0 ref.func 0 table.set $t)
	  (func (export "size") (result i64) table.size $t)
	  (func (export "grow") (param i64) (result i64) ref.null func local.get 0 table.grow $t)
	  (func (export "fill") (param i64 i64) local.get 0 ref.null func local.get 1 table.fill $t)
	  (func (export "copy") (param i64 i64 i64) local.get 0 local.get 1 local.get 2 table.copy $t $u)
	  (func (export "mixed") (param i64 i32 i32) local.get 0 local.get 1 local.get 2 table.copy $t $n)
	  (func (export "init") (param i64 i32 i32) local.get 0 local.get 1 local.get 2 table.init $t $e))`, conformance))
	within := func(at, n, size uint64) bool { return at <= size && n <= size-at }
	for _, i := range append([]uint64{2, 9, 10}, edges...) {
		if _, err := g.call("get", i); (err == nil) != (i < 10) {
			t.Errorf("get %#x: %v", i, err)
		}
		if _, err := g.call("call", i); (err == nil) != (i == 2) {
			t.Errorf("call %#x: %v", i, err)
		}
		if i >= 10 {
			if _, err := g.call("set", i); err == nil {
				t.Errorf("set %#x: no trap", i)
			}
		}
		for _, n := range append([]uint64{3}, edges...) {
			g.reset(MaxInstructions)
			if ok := within(i, n, 10) && i != 2; i != 2 && i != 0 && i != 1 {
				if _, err := g.call("fill", i, n); (err == nil) != ok {
					t.Errorf("fill %#x %#x: %v", i, n, err)
				}
			}
			if ok := within(i, n, 10); !ok {
				if _, err := g.call("copy", i, 0, n); err == nil {
					t.Errorf("copy to %#x of %#x: no trap", i, n)
				}
				if _, err := g.call("copy", 0, i, n); err == nil {
					t.Errorf("copy from %#x of %#x: no trap", i, n)
				}
			}
		}
		if _, err := g.call("init", i, 0, 1); (err == nil) != (i < 10) {
			t.Errorf("init at %#x: %v", i, err)
		}
		if _, err := g.call("mixed", i, 0, 0); (err == nil) != (i <= 10) {
			t.Errorf("mixed copy at %#x: %v", i, err)
		}
	}
	for _, c := range []struct{ delta, want uint64 }{{1 << 40, math.MaxUint64}, {1 << 32, math.MaxUint64}, {5, 10}, {6, math.MaxUint64}, {math.MaxUint64, math.MaxUint64}} {
		if got, err := g.call("grow", c.delta); err != nil || got[0] != c.want {
			t.Errorf("grow by %#x: %v %v", c.delta, got, err)
		}
	}
	if got, _ := g.call("size"); got[0] != 15 {
		t.Errorf("size %d", got[0])
	}
}

func TestActiveSegmentsWithSixtyFourBitOffsetsStandInConformanceMode(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory i64 1) (data (i64.const 100) "hello") (func (export "f") (result i32) i64.const 104 i32.load8_u))`, conformance))
	if got, err := g.call("f"); err != nil || got[0] != 'o' {
		t.Errorf("%v %v", got, err)
	}
}

func noSystemAPI(string, bool) (params, results []byte, ok bool) { return nil, nil, false }
