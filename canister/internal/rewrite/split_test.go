package rewrite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// bulkOperation is one bulk operation on a memory or table of a given size, as the specification words it: bounds
// first, then the move.
type bulkOperation struct {
	function    string
	to, from, n uint64
}

// run does the operation on a slice; segment is what init takes from. It is false where the operation traps.
func runBulk[E any](o bulkOperation, space, segment []E, value func(uint64) E) bool {
	source := space
	if o.function == "init" {
		source = segment
	}
	size := uint64(len(space))
	if o.n > size || o.to > size-o.n {
		return false
	}
	if o.function == "fill" {
		for i := range o.n {
			space[o.to+i] = value(o.from)
		}
		return true
	}
	if size = uint64(len(source)); o.n > size || o.from > size-o.n {
		return false
	}
	copy(space[o.to:], slices.Clone(source[o.from:o.from+o.n]))
	return true
}

// splitCase is a module with the functions copy, fill and init (to, from, n), and the same operators by the slow path
// of a Go slice.
type splitCase struct {
	wide  bool
	piece uint64
	size  uint64 // of the memory or table
	from  uint64 // of the segment
}

// draw chooses operands near everything that matters.
func (c *splitCase) draw(rnd *rand.Rand, function string) bulkOperation {
	near := func(anchors ...uint64) uint64 {
		v := anchors[rnd.IntN(len(anchors))] + uint64(rnd.IntN(5)) - 2
		if rnd.IntN(3) == 0 {
			v = rnd.Uint64N(c.size + 2)
		}
		return v
	}
	o := bulkOperation{function: function, n: near(0, c.piece, 2*c.piece, 3*c.piece, c.size, c.from)}
	o.to = near(0, c.size-o.n, c.piece)
	switch rnd.IntN(4) {
	case 0:
		o.from = o.to + uint64(rnd.IntN(9)) - 4 // an overlap by almost everything
	case 1:
		o.from = o.to + uint64(rnd.IntN(2)*2-1)*c.piece
	case 2:
		o.from = near(0, c.size-o.n, c.from-o.n)
	default:
		o.from = near(0)
	}
	if c.wide && rnd.IntN(6) == 0 {
		o.to += uint64(rnd.IntN(2)) << 32
		o.n += uint64(rnd.IntN(2)) << 32
		o.from |= 1 << 63 >> rnd.IntN(32)
	}
	return c.cut(o)
}

// cut makes operands what their types hold.
func (c *splitCase) cut(o bulkOperation) bulkOperation {
	narrow := func(v *uint64) { *v = uint64(uint32(*v)) }
	if !c.wide {
		narrow(&o.to)
	}
	if !c.wide || o.function == "init" {
		narrow(&o.n)
	}
	if !c.wide || o.function != "copy" {
		narrow(&o.from)
	}
	return o
}

// pieces is how often the host is called for an operation that does not trap.
func (c *splitCase) pieces(n uint64) int {
	if n == 0 {
		return 0
	}
	return int((n - 1) / c.piece)
}

func (c *splitCase) check(t *testing.T, g *guest, o bulkOperation, done bool) {
	t.Helper()
	g.pieces = g.pieces[:0]
	g.reset(1 << 40)
	_, err := g.call(o.function, o.to, o.from, o.n)
	if done != (err == nil) {
		t.Fatalf("%+v: %v, want success: %t", o, err, done)
	}
	// The operator (100), its three operands, the flat charge of the function, and one for each byte or element; a
	// slice of 2^40 holds all.
	if want := int64(104 + o.n); o.n < 1<<39 && g.used() != want {
		t.Errorf("%+v: charged %d, want %d", o, g.used(), want)
	}
	want := 0
	if done {
		want = c.pieces(o.n)
	}
	if len(g.pieces) != want || want > 0 && g.pieces[0] != uint32(c.piece) {
		t.Errorf("%+v: the host is called with %d, want %d calls with %d", o, g.pieces, want, c.piece)
	}
	if err != nil && !strings.Contains(err.Error(), "stack trace:\n\t."+o.function+"(") {
		t.Errorf("%+v: the trap is not where the operator stands: %v", o, err)
	}
}

func TestSplitMemoryOperatorsDoWhatTheOperatorsDo(t *testing.T) {
	t.Parallel()
	letters := make([]byte, PieceBytes*2+77)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range letters {
		letters[i] = byte('a' + rnd.IntN(26))
	}
	for _, pointer := range []string{"i32", "i64"} {
		t.Run(pointer, func(t *testing.T) {
			const pages = 67
			c := &splitCase{wide: pointer == "i64", piece: PieceBytes, size: pages << 16, from: uint64(len(letters))}
			g := start(t, rewriteText(t, strings.NewReplacer("P", pointer, "LETTERS", string(letters)).Replace(fmt.Sprintf(`(module
			  (memory (export "memory") %s %d %d) (data $d "LETTERS")
			  (func $copy (export "copy") (param P P P) local.get 0 local.get 1 local.get 2 memory.copy)
			  (func $fill (export "fill") (param P i32 P) local.get 0 local.get 1 local.get 2 memory.fill)
			  (func $init (export "init") (param P i32 i32) local.get 0 local.get 1 local.get 2 memory.init $d)
			  (func $drop (export "drop") data.drop $d))`, pointer, pages, pages)), conformance))
			memory, _ := g.inst.ExportedMemory("memory").Read(0, pages<<16)
			for i := range memory {
				memory[i] = byte(rnd.Uint32())
			}
			want := slices.Clone(memory)
			done, failed := 0, 0
			for range 400 {
				o := c.draw(rnd, []string{"copy", "fill", "init"}[rnd.IntN(3)])
				ok := runBulk(o, want, letters, func(v uint64) byte { return byte(v) })
				c.check(t, g, o, ok)
				if !bytes.Equal(memory, want) {
					t.Fatalf("%+v left other bytes", o)
				}
				if ok && o.n > PieceBytes {
					done++
				} else if !ok {
					failed++
				}
			}
			if done < 50 || failed < 50 {
				t.Errorf("the operations are one-sided: %d in pieces, %d out of bounds", done, failed)
			}
			if _, err := g.call("drop"); err != nil {
				t.Fatal(err)
			}
			if _, err := g.call("init", 0, 0, PieceBytes+1); err == nil {
				t.Error("a dropped segment is copied")
			}
			if !bytes.Equal(memory, want) {
				t.Error("a dropped segment left bytes")
			}
		})
	}
}

func TestSplitTableOperatorsDoWhatTheOperatorsDo(t *testing.T) {
	t.Parallel()
	const size, piece = 3*PieceBytes/elementBytes + 1001, PieceBytes / elementBytes
	rnd := rand.New(rand.NewPCG(3, 4))
	segment := make([]byte, piece+501)
	items := make([]string, len(segment))
	for i := range segment {
		segment[i] = byte(rnd.IntN(4))
		items[i] = "$f" + string('0'+rune(segment[i]))
	}
	for _, pointer := range []string{"i32", "i64"} {
		t.Run(pointer, func(t *testing.T) {
			c := &splitCase{wide: pointer == "i64", piece: piece, size: size, from: uint64(len(segment))}
			g := start(t, rewriteText(t, strings.NewReplacer("P", pointer, "ITEMS", strings.Join(items, " ")).Replace(fmt.Sprintf(`(module
			  (type $f (func (result i64))) (table $t P %d funcref) (table $s i32 4 funcref) (elem (table $s) (i32.const 0) func $f0 $f1 $f2 $f3) (elem $e func ITEMS)
			  (func $f0 (result i64) i64.const 0) (func $f1 (result i64) i64.const 1) (func $f2 (result i64) i64.const 2) (func $f3 (result i64) i64.const 3)
			  (func $copy (export "copy") (param P P P) local.get 0 local.get 1 local.get 2 table.copy $t $t)
			  (func $fill (export "fill") (param P i32 P) local.get 0 local.get 1 table.get $s local.get 2 table.fill $t)
			  (func $init (export "init") (param P i32 i32) local.get 0 local.get 1 local.get 2 table.init $t $e)
			  (func (export "digest") (result i64) (local $i P) (local $h i64)
			    loop local.get $h i64.const 31 i64.mul local.get $i call_indirect $t (type $f) i64.add local.set $h
			      local.get $i P.const 1 P.add local.tee $i P.const %d P.lt_u br_if 0 end local.get $h))`, size, size)), conformance))
			want := make([]byte, size)
			value := func(v uint64) byte { return byte(v) }
			c.check(t, g, bulkOperation{"init", 0, 0, piece + 1}, runBulk(bulkOperation{"init", 0, 0, piece + 1}, want, segment, value))
			c.fill(t, g, bulkOperation{"fill", piece + 1, 2, size - piece - 1}, want)
			done := 0
			for range 60 {
				o := c.draw(rnd, []string{"copy", "fill", "init"}[rnd.IntN(3)])
				if o.function == "fill" {
					o.from %= 4
					c.fill(t, g, o, want)
				} else {
					c.check(t, g, o, runBulk(o, want, segment, value))
				}
				if o.n > piece {
					done++
				}
				got, err := g.call("digest")
				if err != nil || got[0] != tableDigest(want) {
					t.Fatalf("%+v left other elements (%v)", o, err)
				}
			}
			if done == 0 {
				t.Error("no operation is done in pieces")
			}
		})
	}
}

// fill is check for table.fill, which takes its value from a table: five instructions more.
func (c *splitCase) fill(t *testing.T, g *guest, o bulkOperation, want []byte) {
	t.Helper()
	done := runBulk(o, want, nil, func(v uint64) byte { return byte(v) })
	g.reset(1 << 40)
	g.pieces = g.pieces[:0]
	if _, err := g.call(o.function, o.to, o.from, o.n); done != (err == nil) {
		t.Fatalf("%+v: %v, want success: %t", o, err, done)
	}
	if done && len(g.pieces) != c.pieces(o.n) {
		t.Errorf("%+v: the host is called %d times", o, len(g.pieces))
	}
}

func tableDigest(elements []byte) uint64 {
	h := uint64(0)
	for _, e := range elements {
		h = h*31 + uint64(e)
	}
	return h
}

func TestBulkOperatorsOfAConstantSizeAreNotSplit(t *testing.T) {
	for text, pieces := range map[string]int{
		"i32.const 0 i32.const 1 i32.const 131072 memory.fill":                    0,
		"i32.const 0 i32.const 9 i32.const 100 memory.copy":                       0,
		"i32.const 0 i32.const 1 i32.const 2097152 memory.fill":                   1,
		"i32.const 0 i32.const 1 i32.const -1 i32.const 20 i32.shr_u memory.fill": 0,
	} {
		m := rewriteText(t, `(module (memory 40) (func $f (export "f") `+text+`))`, conformance)
		g := start(t, m)
		if _, err := g.call("f"); err != nil || len(g.pieces) != pieces {
			t.Errorf("%s: the host is called %d times, want %d (%v)", text, len(g.pieces), pieces, err)
		}
		split := strings.Contains(text, "shr_u") || pieces > 0
		if named := bytes.Contains(m.Binary, []byte("canisterd bulk operation")); named != split {
			t.Errorf("%s: a function for pieces is added: %t, want %t", text, named, split)
		}
	}
}
