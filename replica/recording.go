package replica

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// recording holds the changes of a subnet's certified tree since it was last made. Most requests come and go before a
// client requests a certificate: they leave nothing in it. No tree and no node is made from it before a reader asks, or
// it is full.
//
//	requests   a b c │ d ✗ f        a to c are in a view; d to f are the subnet's own:
//	      published┘              overwritten in place, and ✗ came and went
type recording struct {
	base      certify.Tree // certified state, without the changes
	canisters changes[canisterChange]
	requests  changes[requestChange]
	cancelled int // own requests that came and went
	bytes     int // of answers in requests, and of those in base that were dropped since; at most MaxUnstagedBytes and one round's
}

// changes is a list of changes. The part that readers have is read-only; the rest is the subnet's own. Of several
// changes of one thing the last counts.
type changes[T any] struct {
	earlier   changeParts[T] // made before the fork; list follows
	list      []T
	published int    // readers have those before
	first     uint64 // numbers given before list[0]; a change has the same number until it is dropped or moved
}

// changeParts are lists of changes, one after the other; read-only. Each but the last is of a network that was forked.
type changeParts[T any] [][]T

// all iterates over the changes in order.
func (p changeParts[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, part := range p {
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}

func (p changeParts[T]) len() (n int) {
	for _, part := range p {
		n += len(part)
	}
	return n
}

// len returns the number of changes.
func (c *changes[T]) len() int { return c.earlier.len() + len(c.list) }

// own returns the change with a number for writing, nil if readers have it or it does not exist.
func (c *changes[T]) own(number uint64) *T {
	if at := number - c.first - 1; number > c.first && at < uint64(len(c.list)) && int(at) >= c.published {
		return &c.list[at]
	}
	return nil
}

// add adds a change and returns its number, from 1 on.
func (c *changes[T]) add(change T) (number uint64) {
	if len(c.list) == cap(c.list) { // double the capacity: append grows a long list by a quarter, and would move each change four times
		c.list = slices.Grow(c.list, len(c.list)+1)
	}
	c.list = append(c.list, change)
	return c.first + uint64(len(c.list))
}

// publish returns all changes, for a reader.
func (c *changes[T]) publish() changeParts[T] {
	c.published = len(c.list)
	return c.present()
}

// present returns all changes. The caller does not keep them, unless all are published.
func (c *changes[T]) present() changeParts[T] {
	if len(c.list) == 0 {
		return c.earlier
	}
	return append(slices.Clip(c.earlier), slices.Clip(c.list))
}

// fork returns a second list after the same changes, which are published: neither side copies them when it appends.
func (c *changes[T]) fork() changes[T] {
	return changes[T]{earlier: c.present(), first: c.first + uint64(len(c.list))}
}

// drop clears the list. Its numbers are not used again.
func (c *changes[T]) drop() {
	c.first += uint64(len(c.list))
	c.earlier = nil
	if c.published > 0 {
		c.list, c.published = nil, 0
		return
	}
	clear(c.list)
	c.list = c.list[:0]
}

// requestChange is the present status of an ingress message, with what readers may ask about it.
type requestChange struct {
	id        RequestID
	number    uint64 // in the history
	status    Status
	gone      bool // pruned, and possibly in the tree
	fresh     bool // neither the base nor a reader knew it before
	cancelled bool // it came and went
	reply     []byte
	reject    *intercanister.Reject
	parties   RequestParties
}

// canisterChange is the content of the tree for a canister.
type canisterChange struct {
	id                 principal.Principal
	gone               bool
	controllers        []principal.Principal
	created, installed uint64 // ns
	certified          []byte // nil for none
	module             *canister.Module
}

// full reports whether the tree must be made without a reader.
func (r *recording) full() bool {
	return r.canisters.len()+r.requests.len()-r.cancelled >= MaxUnstaged || r.bytes >= MaxUnstagedBytes
}

// rebase sets a base that contains all changes.
func (r *recording) rebase(base certify.Tree) {
	r.base, r.cancelled, r.bytes = base, 0, 0
	r.canisters.drop()
	r.requests.drop()
}

// canister records the present state of a canister. It replaces the last change unless a reader has it.
func (r *recording) canister(staged *state.Staged, change canisterChange) {
	if own := r.canisters.own(staged.Recorded); own != nil {
		*own = change
		return
	}
	staged.Recorded = r.canisters.add(change)
}

// request records the status of a message, as canister does. It returns the number of the change.
func (r *recording) request(change requestChange, number uint64) uint64 {
	r.bytes += change.bytes()
	if own := r.requests.own(number); own != nil {
		r.bytes -= own.bytes()
		change.fresh = own.fresh
		*own = change
		return number
	}
	change.fresh = number == state.Unrecorded
	return r.requests.add(change)
}

// prune records that a message was forgotten. It reports whether the message came and went: then nothing is left of it.
func (r *recording) prune(id RequestID, number uint64) (cameAndWent bool) {
	if number == state.Unrecorded {
		return true
	}
	own := r.requests.own(number)
	if own == nil {
		r.requests.add(requestChange{id: id, gone: true})
		return false
	}
	r.bytes -= own.bytes()
	if own.fresh {
		*own = requestChange{cancelled: true}
		r.cancelled++
		return true
	}
	*own = requestChange{id: id, gone: true}
	return false
}

// compact removes requests that came and went from the list if they are more than half of the subnet's own changes: on
// average each is moved at most once. moved receives the new numbers of the others.
func (r *recording) compact(moved func(history, number uint64)) {
	c := &r.requests
	if r.cancelled < compactFrom || 2*r.cancelled < len(c.list)-c.published {
		return
	}
	kept := c.list[:c.published]
	for i := c.published; i < len(c.list); i++ {
		if e := &c.list[i]; !e.cancelled {
			if kept = append(kept, *e); !e.gone {
				moved(e.number, c.first+uint64(len(kept)))
			}
		}
	}
	clear(c.list[len(kept):])
	c.list, r.cancelled = kept, 0
}

// compactFrom is the number of requests that come and go before compact checks their share.
const compactFrom = 64

// apply returns the tree with changes made to it.
func apply(base certify.Tree, canisters changeParts[canisterChange], requests changeParts[requestChange]) certify.Tree {
	all := make([]certify.Change, 0, canisters.len())
	for c := range canisters.all() {
		all = append(all, c.change())
	}
	return base.Apply(all, "canister").Apply(lastOfEach(requests), "request_status")
}

// lastOfEach returns the last change of every request, as changes of the tree, by id.
func lastOfEach(requests changeParts[requestChange]) []certify.Change {
	type place struct {
		head   uint64 // of the id: few ids have the same
		at     int
		change *requestChange
	}
	places, at := make([]place, 0, requests.len()), 0
	for c := range requests.all() {
		if !c.cancelled {
			places = append(places, place{binary.BigEndian.Uint64(c.id[:]), at, c})
		}
		at++
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return cmp.Or(bytes.Compare(a.change.id[:], b.change.id[:]), a.at-b.at)
	})
	last := make([]certify.Change, 0, len(places))
	for i, p := range places {
		c := p.change
		if i+1 < len(places) && places[i+1].change.id == c.id {
			continue
		}
		last = append(last, certify.Change{Label: certify.Label(c.id[:]), Node: c.node(), Gone: c.gone})
	}
	return last
}

// bytes returns the size of the answer.
func (c *requestChange) bytes() int {
	if c.reject != nil {
		return len(c.reply) + len(c.reject.Text)
	}
	return len(c.reply)
}

// node returns the tree node with the status of an ingress message.
func (c *requestChange) node() certify.Node {
	if c.gone {
		return certify.Node{}
	}
	fields := []certify.Entry{{Label: "status", Node: certify.Leaf([]byte(c.status.String()))}}
	switch c.status {
	case Replied:
		fields = append(fields, certify.Entry{Label: "reply", Node: certify.Leaf(c.reply)})
	case Rejected:
		fields = append(fields,
			certify.Entry{Label: "reject_code", Node: certify.Leaf(certify.Nat(uint64(c.reject.Code)))},
			certify.Entry{Label: "reject_message", Node: certify.Leaf([]byte(c.reject.Text))},
			certify.Entry{Label: "error_code", Node: certify.Leaf([]byte(c.reject.Error.String()))})
	}
	return certify.Map(fields...)
}

// change returns the change of the tree.
func (c *canisterChange) change() certify.Change {
	label := certify.LabelOf(c.id)
	if c.gone {
		return certify.Change{Label: label, Gone: true}
	}
	fields := []certify.Entry{
		{Label: "controllers", Node: certify.Leaf(certify.EncodeControllers(c.controllers))},
		{Label: "canister_creation_timestamp", Node: certify.Leaf(certify.Nat(c.created))},
	}
	if c.certified != nil {
		fields = append(fields, certify.Entry{Label: "certified_data", Node: certify.Leaf(c.certified)})
	}
	if c.installed != 0 {
		fields = append(fields, certify.Entry{Label: "last_install_timestamp", Node: certify.Leaf(certify.Nat(c.installed))})
	}
	return certify.Change{Label: label, Node: certify.Map(append(fields, codeEntries(c.module)...)...)}
}

// codeEntries returns the entries of the tree for a canister's module.
func codeEntries(module *canister.Module) []certify.Entry {
	if module == nil {
		return nil
	}
	hash := module.Hash()
	entries := []certify.Entry{{Label: "module_hash", Node: certify.Leaf(hash[:])}}
	if sections := module.Sections(); len(sections) > 0 {
		metadata := make([]certify.Entry, len(sections))
		for i, s := range sections {
			metadata[i] = certify.Entry{Label: certify.Label(s.Name), Node: certify.Leaf(s.Content)}
		}
		entries = append(entries, certify.Entry{Label: "metadata", Node: certify.Map(metadata...)})
	}
	return entries
}
