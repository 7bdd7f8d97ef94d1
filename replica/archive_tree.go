package replica

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// shown is the content of the certified tree at a label, nil for nothing.
type shown struct {
	label certify.Label
	node  *certify.Node
}

// archiveTree writes the part of the certified tree that does not follow from the state: the former values of canisters
// and messages that have changed since. When it reads, it builds the tree; all subnets must have their canisters and
// answers.
func (s *subnet) archiveTree(c *archive.Coder) {
	p, tree := &s.ended, certify.Tree{}
	if c.Reading() {
		s.record.base = s.net.staticTree()
		s.net.index.addAll(&s.State)
	} else {
		tree = s.staged().height().Tree()
	}
	archive.Number(c, &p.time)
	archive.Number(c, &p.height)
	archive.Number(c, &p.metrics.Canisters)
	archive.Number(c, &p.metrics.StateBytes)
	archive.Number(c, &p.metrics.UpdateTransactions)
	archive.Number(c, &p.metrics.ConsumedCyclesLow)
	archive.Number(c, &p.metrics.ConsumedCyclesHigh)
	var canisters, requests []certify.Label
	for _, r := range s.Touched {
		canisters = append(canisters, certify.LabelOf(r.ID()))
	}
	for i := range s.Answered {
		requests = append(requests, certify.Label(s.Answered[i].ID[:]))
	}
	s.record.archivePart(c, tree, "canister", canisters, s.canistersNow)
	s.record.archivePart(c, tree, "request_status", requests, func(but map[certify.Label]bool) []certify.Change { return requestsNow(&s.History, but) })
}

// archivePart writes the content of one map of the tree at some labels, or makes the map from that content and from the
// present state at all other labels.
func (r *recording) archivePart(c *archive.Coder, tree certify.Tree, name certify.Label, changed []certify.Label, now func(but map[certify.Label]bool) []certify.Change) {
	slices.Sort(changed)
	changed = slices.Compact(changed)
	_, found := tree.Get(name)
	c.Bool(&found)
	but := make(map[certify.Label]bool, len(changed))
	var then []certify.Change
	for _, label := range changed {
		s := shown{label: label}
		if node, ok := tree.Get(name, label); ok && !c.Reading() {
			s.node = &node
		}
		archive.Pointer(c, &s.node, func(n *certify.Node) { n.Archive(c) })
		but[label] = true
		if s.node != nil {
			then = append(then, certify.Change{Label: label, Node: *s.node})
		}
	}
	if !c.Reading() || c.Failed() {
		return
	}
	all := append(now(but), then...)
	if c.Check(found || len(all) == 0, "%d entries of %q are not shown", len(all), string(name)); found {
		r.base = r.base.Set(certify.Node{}, name).Apply(all, name)
	}
}

// addAll adds all canisters and messages of a subnet.
func (x *readIndex) addAll(s *state.State) {
	for r := range s.Canisters.All() {
		x.setModule(r.ID(), r.Canister.Module())
	}
	var all []requestChange
	for in := range s.History.All() {
		change := requestChangeOf(in)
		change.fresh = true
		all = append(all, change)
	}
	x.add(s.ID, all)
}

// canistersNow returns the present state of all canisters except some.
func (s *subnet) canistersNow(but map[certify.Label]bool) (all []certify.Change) {
	for r := range s.Canisters.All() {
		if !but[certify.LabelOf(r.ID())] {
			change := s.canisterChange(r)
			all = append(all, change.change())
		}
	}
	return all
}

// requestsNow returns the present status of all known messages except some.
func requestsNow(history *state.History, but map[certify.Label]bool) (all []certify.Change) {
	for in := range history.All() {
		if label := certify.Label(in.ID[:]); !but[label] {
			change := requestChangeOf(in)
			all = append(all, certify.Change{Label: label, Node: change.node()})
		}
	}
	return all
}
