package replica

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Marks are the parts of a round's record that do not change the network.
type Marks struct {
	Traps    []TrapMark // messages of the round whose code failed, at most MaxMarkedTraps
	Unmarked int        // other messages of the round whose code failed
	roots    []certifiedRoot
}

// TrapMark is a message whose code failed.
type TrapMark struct {
	Canister principal.Principal
	Method   string    // shortened; the entry point of a task
	Request  RequestID // of the user's message that it belongs to; zero if there is none
	Code     intercanister.ErrorCode
	Text     string // the beginning of the first line of the reject
}

// certifiedRoot is a prefix of a root hash that was computed.
type certifiedRoot struct {
	subnet int
	back   uint64 // its height is this much lower than the last one before the round
	root   [markedRootBytes]byte
}

func (k *Marks) archive(c *archive.Coder) {
	archive.Slice(c, &k.Traps, MaxMarkedTraps, func(t *TrapMark) {
		c.Principal(&t.Canister)
		archive.String(c, &t.Method, maxMarkedText)
		archive.Hash(c, &t.Request)
		archive.Number(c, &t.Code)
		archive.String(c, &t.Text, maxMarkedText)
	})
	archive.Number(c, &k.Unmarked)
	archive.Slice(c, &k.roots, MaxSubnets*lateHeights, func(r *certifiedRoot) {
		archive.AtMost(c, &r.subnet, MaxSubnets-1)
		if c.Since(archive.VersionUserMarks) {
			archive.AtMost(c, &r.back, lateHeights-1)
		}
		c.Fixed(r.root[:])
	})
}

// markTrap marks a message of the current round whose code failed.
func (j *journalling) markTrap(t *TrapMark) {
	if len(j.marks.Traps) == MaxMarkedTraps {
		j.marks.Unmarked++
		return
	}
	t.Method = shortened(t.Method)
	first, _, _ := strings.Cut(t.Text, "\n")
	t.Text = shortened(first)
	j.marks.Traps = append(j.marks.Traps, *t)
}

// shortened returns a text, cut to maxMarkedText bytes.
func shortened(text string) string { return text[:min(len(text), maxMarkedText)] }

// take returns the marks since the last round, and clears them.
func (j *journalling) take() (marks Marks) {
	marks, j.marks = j.marks, Marks{}
	return marks
}

// certifiedView is a view that readers have, and from which they may still make certificates.
type certifiedView struct {
	view   *View
	marked uint64 // bit i: the root of its subnet i is marked
}

// keepView keeps the last view, if readers have one: the next height replaces it, and they may make certificates from
// it later. It drops views that are lateHeights old, and views with all roots marked.
func (j *journalling) keepView(views *Views) {
	j.views = slices.DeleteFunc(j.views, func(v certifiedView) bool {
		return v.view.Height+lateHeights <= views.Height() || bits.OnesCount64(v.marked) == len(v.view.Subnets)
	})
	view, last := views.latest.Load(), len(j.views)-1
	if view != nil && (last < 0 || j.views[last].view != view) {
		j.views = append(j.views, certifiedView{view: view})
	}
}

// certifiedRoots returns the roots of the last lateHeights views that were computed since the round before, for a
// certificate or by HashTrees. Computing the others would delay this round.
func (n *Network) certifiedRoots() (roots []certifiedRoot) {
	n.journal.keepView(n.views)
	for k := range n.journal.views {
		v := &n.journal.views[k]
		for i := range v.view.Subnets {
			shown := &v.view.Subnets[i]
			h := shown.staged.made.Load()
			if h == nil || v.marked&(1<<i) != 0 || !h.Signed() && !shown.staged.hashed.Load() {
				continue
			}
			v.marked |= 1 << i
			// Subnets may have been deleted since the view was made.
			if at := slices.IndexFunc(n.subnets, func(m *subnet) bool { return m.ID == shown.ID }); at >= 0 {
				roots = append(roots, certifiedRoot{at, n.views.Height() - v.view.Height, markedRoot(h.Root())})
			}
		}
	}
	return roots
}

// markedRoot returns the prefix of a root hash for a record.
func markedRoot(root [32]byte) (marked [markedRootBytes]byte) {
	copy(marked[:], root[:])
	return marked
}

// rememberView keeps the view of the last height, for comparison with roots in later records.
func (n *Network) rememberView() {
	if n.open {
		return
	}
	view := n.View()
	n.compared = slices.DeleteFunc(n.compared, func(v *View) bool { return v == view || v.Height+lateHeights <= view.Height })
	n.compared = append(n.compared, view)
}

// compareRoots compares the roots of views with recorded ones, and returns their number. It skips roots of views before
// the first record.
func (n *Network) compareRoots(roots []certifiedRoot) (compared int, err error) {
	for _, r := range roots {
		if r.subnet >= len(n.subnets) {
			return compared, &DivergedError{Height: n.height, What: "the number of subnets", Now: uint64(len(n.subnets)), Was: uint64(r.subnet) + 1}
		}
		at := slices.IndexFunc(n.compared, func(v *View) bool { return v.Height+r.back == n.views.Height() })
		if at < 0 {
			continue
		}
		view, id := n.compared[at], n.subnets[r.subnet].ID
		shown := slices.IndexFunc(view.Subnets, func(s SubnetView) bool { return s.ID == id })
		if shown < 0 {
			continue
		}
		if now := markedRoot(view.Subnets[shown].staged.height().Root()); now != r.root {
			return compared, &DivergedError{
				Height: view.Height, What: "the beginning of the certified root of subnet " + id.String(),
				Now: binary.BigEndian.Uint64(now[:]), Was: binary.BigEndian.Uint64(r.root[:]),
			}
		}
		compared++
	}
	return compared, nil
}
