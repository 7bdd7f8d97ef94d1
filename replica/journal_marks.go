package replica

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Marks are what the record of a round says beside what moved the network.
type Marks struct {
	Traps    []TrapMark // messages of the round whose code failed, at most MaxMarkedTraps
	Unmarked int        // other messages of the round whose code failed
	roots    []certifiedRoot
}

// TrapMark is a message whose code failed.
type TrapMark struct {
	Canister principal.Principal
	Method   string    // its beginning; the entry point of a task
	Request  RequestID // of the user's message that it answers; zero for none
	Code     intercanister.ErrorCode
	Text     string // the beginning of the first line of the reject
}

// certifiedRoot is the beginning of a root hash of which a certificate was made.
type certifiedRoot struct {
	subnet int
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
	archive.Slice(c, &k.roots, MaxSubnets, func(r *certifiedRoot) {
		archive.AtMost(c, &r.subnet, MaxSubnets-1)
		c.Fixed(r.root[:])
	})
}

// trapped marks a message of the present round whose code failed.
func (j *journalling) trapped(t *TrapMark) {
	if len(j.marks.Traps) == MaxMarkedTraps {
		j.marks.Unmarked++
		return
	}
	t.Method = shortened(t.Method)
	first, _, _ := strings.Cut(t.Text, "\n")
	t.Text = shortened(first)
	j.marks.Traps = append(j.marks.Traps, *t)
}

// shortened is the beginning of a text.
func shortened(text string) string { return text[:min(len(text), maxMarkedText)] }

// take is what was marked since the last round.
func (j *journalling) take() (marks Marks) {
	marks, j.marks = j.marks, Marks{}
	return marks
}

// certifiedRoots are the roots of the last view of which certificates were made. Those of other rounds were never
// computed, and to compute them would cost more than the rounds.
func (n *Network) certifiedRoots() (roots []certifiedRoot) {
	view := n.views.latest.Load()
	if view == nil {
		return nil
	}
	for i, m := range n.subnets {
		// Subnets may have been added or deleted since the view was made.
		at := slices.IndexFunc(view.Subnets, func(v SubnetView) bool { return v.ID == m.ID })
		if at < 0 || m.ahead != nil {
			continue
		}
		if h := view.Subnets[at].staged.made.Load(); h != nil && h.Signed() {
			roots = append(roots, certifiedRoot{i, markedRoot(h.Root())})
		}
	}
	return roots
}

func markedRoot(root [32]byte) (marked [markedRootBytes]byte) {
	copy(marked[:], root[:])
	return marked
}

// compareRoots compares the last view with certificates that were made of it.
func (n *Network) compareRoots(roots []certifiedRoot) error {
	for _, r := range roots {
		if r.subnet >= len(n.subnets) {
			return &DivergedError{Height: n.height, What: "the number of subnets", Now: uint64(len(n.subnets)), Was: uint64(r.subnet) + 1}
		}
		m := n.subnets[r.subnet]
		if now := markedRoot(m.staged().height().Root()); now != r.root {
			return &DivergedError{
				Height: m.ended.height, What: "the beginning of the certified root of subnet " + m.ID.String(),
				Now: binary.BigEndian.Uint64(now[:]), Was: binary.BigEndian.Uint64(r.root[:]),
			}
		}
	}
	return nil
}
