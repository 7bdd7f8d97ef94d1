package certify

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// Range is canister ids from Start to End, both included, in the order of
// principals.
type Range struct{ Start, End principal.Principal }

// Ranges is the canister ids a subnet may certify for.
type Ranges []Range

// Contains reports whether the id is in one of the ranges.
func (rs Ranges) Contains(id principal.Principal) bool {
	for _, r := range rs {
		if r.Start.Compare(id) <= 0 && id.Compare(r.End) <= 0 {
			return true
		}
	}
	return false
}

// Encode returns the value at /subnet/{id}/canister_ranges and in the shards under
// /canister_ranges/{id} (interface specification, "Canister ranges"):
// self-described CBOR, an array of pairs.
func (rs Ranges) Encode() []byte {
	dst := AppendHead([]byte(selfDescribed), majorArray, uint64(len(rs)))
	for _, r := range rs {
		dst = AppendHead(dst, majorArray, 2)
		dst = appendPrincipal(appendPrincipal(dst, r.Start), r.End)
	}
	return dst
}

// Shards returns the map at /canister_ranges/{id}: the ranges, ordered by their start, in shards of at most perShard,
// each under the start of its first range.
func (rs Ranges) Shards(perShard int) Node {
	var es []Entry
	for len(rs) > 0 {
		n := min(perShard, len(rs))
		es = append(es, Entry{LabelOf(rs[0].Start), Leaf(rs[:n].Encode())})
		rs = rs[n:]
	}
	return Map(es...)
}

// DecodeRanges reads the result of Encode, with or without the tag.
func DecodeRanges(value []byte) (Ranges, error) {
	r := reader{in: value}
	r.selfDescribed()
	n, err := r.expect(majorArray, "an array of ranges")
	if err != nil {
		return nil, fmt.Errorf("read canister ranges: %w", err)
	}
	if n > maxRanges || n > uint64(len(value)) {
		return nil, fmt.Errorf("read canister ranges: %d of them; at most %d fit", n, min(maxRanges, len(value)))
	}
	rs := make(Ranges, n)
	for i := range rs {
		if err := r.canisterRange(&rs[i]); err != nil {
			return nil, fmt.Errorf("read canister range %d: %w", i, err)
		}
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("read canister ranges: %w", err)
	}
	return rs, nil
}

func (r *reader) canisterRange(into *Range) error {
	n, err := r.expect(majorArray, "a pair")
	if err != nil {
		return err
	}
	if n != 2 {
		return fmt.Errorf("want start and end, got %d elements", n)
	}
	if into.Start, err = r.principal(); err != nil {
		return err
	}
	into.End, err = r.principal()
	return err
}

func (r *reader) principal() (principal.Principal, error) {
	raw, err := r.bytes()
	if err != nil {
		return principal.Principal{}, err
	}
	return principal.FromBytes(raw)
}

func appendPrincipal(dst []byte, p principal.Principal) []byte {
	return p.Append(AppendHead(dst, majorBytes, uint64(p.Len())))
}

// RangesOf returns the ranges that a tree shows for a subnet: the shards under /canister_ranges/{subnet} if there are
// any, and otherwise the flat value at /subnet/{subnet}/canister_ranges.
func RangesOf(tree *HashTree, subnet principal.Principal) (Ranges, error) {
	if shards, status := tree.LookupSubtree(RangesPath(subnet)...); status == Found {
		var all Ranges
		var err error
		shards.Walk(func(_ Path, value []byte) bool {
			var rs Ranges
			rs, err = DecodeRanges(value)
			all = append(all, rs...)
			return err == nil
		})
		return all, err
	}
	path := SubnetPath(subnet, "canister_ranges")
	value, status := tree.Lookup(path...)
	if status != Found {
		return nil, fmt.Errorf("the tree shows neither %s nor %s: %s", RangesPath(subnet), path, status)
	}
	return DecodeRanges(value)
}
