package wasm

import "slices"

// piece is a mapping of a heap: its first page, and the offset of that page in the file.
type piece struct{ first, offset int64 }

// anonymousPiece is the offset of an anonymous mapping.
const anonymousPiece = -1

// at returns the offset in the file of a page of the piece.
func (p piece) at(page int64) int64 { return p.offset + (page-p.first)*PageSize }

// pieces are the mappings of a heap in order. Each extends to the next one.
type pieces []piece

// end returns the end of a piece, at most limit.
func (ps pieces) end(i int, limit int64) int64 {
	if i+1 < len(ps) {
		return min(ps[i+1].first, limit)
	}
	return limit
}

// find returns the index of the piece that has a page.
func (ps pieces) find(page int64) int {
	i, found := slices.BinarySearchFunc(ps, page, func(p piece, page int64) int { return int(p.first - page) })
	if !found {
		i--
	}
	return i
}

// goesOn reports whether next continues the piece.
func (p piece) goesOn(next piece) bool {
	if p.offset == anonymousPiece || next.offset == anonymousPiece {
		return p.offset == next.offset
	}
	return p.at(next.first) == next.offset
}

// add appends a piece.
func (ps pieces) add(p piece) pieces {
	if n := len(ps); n > 0 && ps[n-1].goesOn(p) {
		return ps
	}
	return append(ps, p)
}

// cut removes the pieces that begin at a page or after it.
func (ps pieces) cut(page int64) pieces {
	for len(ps) > 0 && ps[len(ps)-1].first >= page {
		ps = ps[:len(ps)-1]
	}
	return ps
}

// put returns the pieces after a part of the file was mapped over some pages of a heap of a given size.
func (ps pieces) put(over span, offset, pages int64) pieces {
	i, j := ps.find(over.first), ps.find(over.end-1)
	var few [4]piece
	around := pieces(few[:0])
	if ps[i].first < over.first {
		around = around.add(ps[i])
	} else if i > 0 {
		i--
		around = around.add(ps[i])
	}
	around = around.add(piece{over.first, offset})
	if over.end < ps.end(j, pages) {
		rest := piece{over.end, ps[j].offset}
		if rest.offset != anonymousPiece {
			rest.offset = ps[j].at(over.end)
		}
		around = around.add(rest)
	} else if j+1 < len(ps) {
		j++
		around = around.add(ps[j])
	}
	return slices.Replace(ps, i, j+1, around...)
}
