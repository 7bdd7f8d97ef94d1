package rewrite

import (
	"encoding/binary"
	"errors"
	"sort"
)

// Offsets says where the code of a rewritten module comes from in the original one. They take about two bytes for each
// operator, so they are made when they are needed, by rewriting the module again.
type Offsets struct {
	bodies []bodyOffsets // ascending
	size   int
}

// bodyOffsets are those of a function. from is where its content begins, in the code section of the rewritten module.
type bodyOffsets struct {
	from, to uint32
	marks    []markBlock
}

// markBlock is up to markBlockSize marks: the first, and of each other one its differences to the one before.
type markBlock struct {
	first mark
	rest  []byte
}

const (
	markBlockSize = 256
	perMarkBlock  = 40 // bytes of a markBlock
)

// mark says that code from a place of a rewritten body on, up to the next mark, comes from the operator at an offset in
// the original module, decompressed.
type mark struct{ place, at int }

// errOtherModule is a bug or a fault of the caller.
var errOtherModule = errors.New("the rewritten form of the module is another one now")

// Locate returns the offsets of a rewritten module, from the bytes as uploaded and the options that it was made with. An
// error says that they make another module.
func (m *Module) Locate(uploaded []byte, options Options) (*Offsets, error) {
	options.Probes, options.Coverage, options.Positions, options.offsets = m.Probes, m.Coverage, m.Positions, new(Offsets)
	again, err := Rewrite(uploaded, options)
	if err != nil {
		return nil, err
	}
	if again.BinaryHash != m.BinaryHash {
		return nil, errOtherModule
	}
	return options.offsets, nil
}

// Bytes returns about how much memory the offsets take.
func (o *Offsets) Bytes() int {
	const perBody = 32
	return perBody*len(o.bodies) + o.size
}

// Original returns the offset of the operator in the original module, decompressed, from which the code at an offset in
// the code section of the rewritten module comes. It returns false for code that the pass adds as functions of its own.
// Checks at the beginning of a function or a loop belong to its first operator, wherever their code is.
func (o *Offsets) Original(offset uint32) (uint32, bool) {
	i := sort.Search(len(o.bodies), func(i int) bool { return o.bodies[i].to > offset })
	if i == len(o.bodies) || offset < o.bodies[i].from {
		return 0, false
	}
	place, blocks := int(offset-o.bodies[i].from), o.bodies[i].marks
	block := &blocks[max(sort.Search(len(blocks), func(i int) bool { return blocks[i].first.place > place })-1, 0)]
	at := block.first
	for rest := block.rest; len(rest) > 0; {
		farther, n := binary.Uvarint(rest)
		difference, k := binary.Varint(rest[n:])
		rest = rest[n+k:]
		if at.place += int(farther); at.place > place {
			break
		}
		at.at += int(difference)
	}
	return uint32(at.at), true
}

// markOperator records that the code of the current operator begins.
func (b *body) markOperator() {
	if b.marking {
		b.marks = append(b.marks, mark{len(b.out), b.at})
	}
}

// markFunction records that the code that follows belongs to the first operator of the function.
func (b *body) markFunction() {
	if b.marking {
		b.marks = append(b.marks, mark{len(b.out), b.marks[0].at})
	}
}

// markLoop records that the code that follows belongs to a loop.
func (b *body) markLoop(f *frame) {
	if !b.marking {
		return
	}
	i := sort.Search(len(b.marks), func(i int) bool { return b.marks[i].place > f.begin }) - 1
	b.marks = append(b.marks, mark{len(b.out), b.marks[max(i, 0)].at})
}

// moveMarks moves the marks in a part of the body, up to a place in it, to the place to which the part was copied.
func (b *body) moveMarks(moved, from, to, target int) int {
	if !b.marking {
		return 0
	}
	for ; moved < len(b.marks) && b.marks[moved].place < to; moved++ {
		b.marks[moved].place += target - from
	}
	return moved
}

// keepMarks keeps the marks of a body whose content begins at a place in the output.
func (c *codeWriter) keepMarks(b *body, begin int) {
	if c.s.options.offsets == nil {
		return
	}
	var blocks []markBlock
	var last mark
	marks := 0
	for i, m := range b.marks {
		if i+1 < len(b.marks) && b.marks[i+1].place == m.place {
			continue // it has no code
		}
		m.place -= begin
		if marks++; marks%markBlockSize == 1 {
			blocks = append(blocks, markBlock{first: m})
		} else {
			block := &blocks[len(blocks)-1]
			block.rest = binary.AppendUvarint(block.rest, uint64(m.place-last.place))
			block.rest = binary.AppendVarint(block.rest, int64(m.at-last.at))
		}
		last = m
	}
	c.marks[b.place] = blocks
}

// locate fills in the offsets of a module. Bodies are written; count is the size of their number.
func (c *codeWriter) locate(count int) {
	o := c.s.options.offsets
	if o == nil {
		return
	}
	at := uint32(count)
	for i, w := range c.bodies.written {
		size := uint32(w.to - w.from)
		at += uint32(sizeU32(size))
		o.bodies = append(o.bodies, bodyOffsets{at, at + size, c.marks[i]})
		for _, block := range c.marks[i] {
			o.size += perMarkBlock + cap(block.rest)
		}
		at += size
	}
}
