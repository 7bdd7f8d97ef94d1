package certify

import "github.com/canisterd/canisterd/archive"

// maxArchivedNesting is how deep the maps of a node may nest that is read.
const maxArchivedNesting = 8

// Archive writes a node with everything below it, or reads one.
func (n *Node) Archive(c *archive.Coder) { n.archive(c, maxArchivedNesting) }

func (n *Node) archive(c *archive.Coder, depth int) {
	leaf := n.leaf
	if c.Bool(&leaf); leaf {
		value := n.value
		if c.Bytes(&value, archive.MaxBytes); c.Reading() {
			*n = Leaf(value)
		}
		return
	}
	if !c.Check(depth > 0, "maps of the certified tree are nested too deep") {
		return
	}
	var entries []Entry
	for label, below := range n.All() {
		entries = append(entries, Entry{label, below})
	}
	before := Label("")
	first := true
	archive.Slice(c, &entries, archive.MaxItems, func(e *Entry) {
		archive.String(c, &e.Label, archive.MaxBytes)
		c.Check(first || before < e.Label, "the labels of the certified tree are not in order")
		before, first = e.Label, false
		e.Node.archive(c, depth-1)
	})
	if c.Reading() && !c.Failed() {
		*n = Map(entries...)
	}
}
