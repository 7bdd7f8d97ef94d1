package certify

import "slices"

// AppendWitness appends the CBOR encoding of the tree pruned to the paths
// (interface specification, "Certificate", "Encoding of certificates").
//
// A path to a value reveals it, a path to a map everything in it. A path to nothing reveals the labels next to its
// place, with their contents pruned, so that a lookup returns Absent; one that leads through a value reveals that
// value, because nothing less proves it. Everything else is pruned. Paths may come in any order and repeat; no paths at
// all prune the root.
func (t Tree) AppendWitness(dst []byte, paths ...Path) []byte {
	if !slices.IsSortedFunc(paths, comparePaths) {
		paths = slices.SortedFunc(slices.Values(paths), comparePaths)
	}
	return appendMapWitness(dst, t.root, paths, 0)
}

// Prune returns the witness as a hash tree, for lookups.
func (t Tree) Prune(paths ...Path) *HashTree {
	h, err := DecodeHashTree(t.AppendWitness(nil, paths...))
	if err != nil {
		panic("certify: bug: our own witness does not decode: " + err.Error())
	}
	return h
}

// appendMapWitness encodes a map pruned to sorted paths, which agree in their
// first depth labels, the way to the map.
func appendMapWitness(dst []byte, n *node, paths []Path, depth int) []byte {
	switch {
	case len(paths) == 0:
		return appendPruned(dst, mapHash(n))
	case n == nil:
		return append(dst, 0x81, 0)
	case len(paths[0]) == depth:
		return appendWhole(dst, n)
	}
	return appendForest(dst, n, wantedIn(n, paths, depth), depth)
}

// wanted is an entry of a map that its witness shows: pruned below the label if no path leads there.
type wanted struct {
	label Label
	paths []Path
}

// wantedIn returns the entries to show for the paths, ordered by label.
func wantedIn(n *node, paths []Path, depth int) []wanted {
	ws := make([]wanted, 0, min(len(paths), int(n.size)))
	for len(paths) > 0 {
		label := paths[0][depth]
		same := 1
		for same < len(paths) && paths[same][depth] == label {
			same++
		}
		before, at, after := around(n, label)
		if at != nil {
			ws = addWanted(ws, label, paths[:same])
		} else {
			if before != nil {
				ws = addWanted(ws, before.label, nil)
			}
			if after != nil {
				ws = addWanted(ws, after.label, nil)
			}
		}
		paths = paths[same:]
	}
	return ws
}

// addWanted adds an entry. Labels come in order, but one that is wanted as the neighbor of several absent ones, or as a
// neighbor and for itself, comes again; between two absent ones with the same neighbors, after the other neighbor.
func addWanted(ws []wanted, label Label, paths []Path) []wanted {
	for i := len(ws) - 1; i >= 0 && ws[i].label >= label; i-- {
		if ws[i].label == label {
			if paths != nil {
				ws[i].paths = paths
			}
			return ws
		}
	}
	return append(ws, wanted{label, paths})
}

// around returns the entry with the label and, if there is none, those before and after its place.
func around(n *node, label Label) (before, at, after *node) {
	for n = n.open(); n.kind == fork; n = n.open() {
		if label < n.label {
			after = n.right
			n = n.left
		} else {
			before = n.left
			n = n.right
		}
	}
	switch {
	case n.label == label:
		return nil, n, nil
	case n.label < label:
		before = n
		if after != nil {
			after = first(after)
		}
	default:
		after = n
		if before != nil {
			before = last(before)
		}
	}
	return before, nil, after
}

func appendForest(dst []byte, n *node, ws []wanted, depth int) []byte {
	if len(ws) == 0 {
		return appendPruned(dst, n.digest())
	}
	if n = n.open(); n.kind == fork {
		cut := 0
		for cut < len(ws) && ws[cut].label < n.label {
			cut++
		}
		dst = append(dst, 0x83, 1)
		dst = appendForest(dst, n.left, ws[:cut], depth)
		return appendForest(dst, n.right, ws[cut:], depth)
	}
	dst = appendBytes(append(dst, 0x83, 2), string(n.label))
	switch {
	case ws[0].paths == nil:
		return appendPruned(dst, n.content())
	case n.kind == leafEntry:
		return appendLeaf(dst, n.value)
	default:
		return appendMapWitness(dst, n.left, ws[0].paths, depth+1)
	}
}

func appendWhole(dst []byte, n *node) []byte {
	if n == nil {
		return append(dst, 0x81, 0)
	}
	if n = n.open(); n.kind == fork {
		return appendWhole(appendWhole(append(dst, 0x83, 1), n.left), n.right)
	}
	dst = appendBytes(append(dst, 0x83, 2), string(n.label))
	if n.kind == leafEntry {
		return appendLeaf(dst, n.value)
	}
	return appendWhole(dst, n.left)
}

func appendLeaf(dst, value []byte) []byte {
	return appendBytes(append(dst, 0x82, 3), value)
}

func appendPruned(dst []byte, h [32]byte) []byte {
	return append(append(dst, 0x82, 4, 0x58, 32), h[:]...)
}
