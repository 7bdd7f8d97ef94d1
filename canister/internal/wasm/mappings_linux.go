package wasm

import "slices"

// mapping is a mapping of a heap: its first page, and the offset of that page in the file.
type mapping struct{ first, offset int64 }

// anonymousMapping is the offset of an anonymous mapping.
const anonymousMapping = -1

// at returns the offset in the file of a page of the mapping.
func (p mapping) at(page int64) int64 { return p.offset + (page-p.first)*PageSize }

// mappings are the mappings of a heap in order. Each extends to the next one.
type mappings []mapping

// end returns the end of a mapping, at most limit.
func (ps mappings) end(i int, limit int64) int64 {
	if i+1 < len(ps) {
		return min(ps[i+1].first, limit)
	}
	return limit
}

// find returns the index of the mapping that has a page.
func (ps mappings) find(page int64) int {
	i, found := slices.BinarySearchFunc(ps, page, func(p mapping, page int64) int { return int(p.first - page) })
	if !found {
		i--
	}
	return i
}

// goesOn reports whether next continues the mapping.
func (p mapping) goesOn(next mapping) bool {
	if p.offset == anonymousMapping || next.offset == anonymousMapping {
		return p.offset == next.offset
	}
	return p.at(next.first) == next.offset
}

// add appends a mapping.
func (ps mappings) add(p mapping) mappings {
	if n := len(ps); n > 0 && ps[n-1].goesOn(p) {
		return ps
	}
	return append(ps, p)
}

// cut removes the mappings that begin at a page or after it.
func (ps mappings) cut(page int64) mappings {
	for len(ps) > 0 && ps[len(ps)-1].first >= page {
		ps = ps[:len(ps)-1]
	}
	return ps
}

// put returns the mappings after a part of the file was mapped over some pages of a heap of a given size.
func (ps mappings) put(over span, offset, pages int64) mappings {
	i, j := ps.find(over.first), ps.find(over.end-1)
	var few [4]mapping
	around := mappings(few[:0])
	if ps[i].first < over.first {
		around = around.add(ps[i])
	} else if i > 0 {
		i--
		around = around.add(ps[i])
	}
	around = around.add(mapping{over.first, offset})
	if over.end < ps.end(j, pages) {
		rest := mapping{over.end, ps[j].offset}
		if rest.offset != anonymousMapping {
			rest.offset = ps[j].at(over.end)
		}
		around = around.add(rest)
	} else if j+1 < len(ps) {
		j++
		around = around.add(ps[j])
	}
	return slices.Replace(ps, i, j+1, around...)
}
