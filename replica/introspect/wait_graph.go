package introspect

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// The wait relation, as two graphs. Canisters that await each other in a cycle are not a deadlock: a canister can be
// re-entered while it awaits. Contexts that await each other are a deadlock: only a deadline or a timeout ends it.
// Calls alone make no such cycle, because a context is younger than the call it serves; a call of stop_canister waits
// for every context of a canister, and may be made by one of them.

// contextKey identifies a call context of a network.
type contextKey struct {
	subnet int
	id     intercanister.ContextID
}

// deadlockCycles are the cycles of both graphs: each node's cycle, 0 for nodes in none.
type deadlockCycles struct {
	canisters map[principal.Principal]int
	contexts  map[contextKey]int
}

func (k *deadlockCycles) context(subnet int, id intercanister.ContextID) bool {
	return k.contexts[contextKey{subnet, id}] != 0
}

// circular reports whether caller and callee of a call await each other.
func (k *deadlockCycles) circular(f *intercanister.Future) bool {
	cycle := k.canisters[f.Owner]
	return cycle != 0 && cycle == k.canisters[f.Callee]
}

func (n *Network) deadlockCycles() *deadlockCycles {
	canisters, contexts := newGraph[principal.Principal](), newGraph[contextKey]()
	for i, m := range n.Subnets {
		m.Calls.EachFuture(func(_ intercanister.CallID, f *intercanister.Future) {
			if f.State == intercanister.Waiting {
				canisters.edge(f.Owner, f.Callee)
			}
		})
		m.Calls.EachContext(func(c *intercanister.Context) {
			if from, ok := n.asker(&c.Origin); ok && !c.Responded {
				contexts.edge(from, contextKey{i, c.ID})
			}
		})
		for r := range m.Canisters.All() {
			n.stops(contexts, i, m.Calls.OpenContexts, r.Mailbox.Owner)
		}
	}
	return &deadlockCycles{canisters.cycles(), contexts.cycles()}
}

// stops adds what the callers of stop_canister of a canister wait for.
func (n *Network) stops(contexts *graph[contextKey], subnet int, open func(*intercanister.Mailbox) []intercanister.ContextID, id principal.Principal) {
	r := n.Subnets[subnet].Canisters.Get(id)
	for i := range r.Stops {
		from, ok := n.asker(&r.Stops[i].Ticket.Origin)
		if !ok {
			continue
		}
		for _, context := range open(&r.Mailbox) {
			contexts.edge(from, contextKey{subnet, context})
		}
	}
}

// asker returns the context that made a call.
func (n *Network) asker(o *intercanister.Origin) (contextKey, bool) {
	if o.Kind != intercanister.FromCanister {
		return contextKey{}, false
	}
	position := n.Find(o.Caller)
	if position < 0 {
		return contextKey{}, false
	}
	f := n.Subnets[position].Calls.Future(o.Call)
	if f == nil || f.State != intercanister.Waiting || f.Owner != o.Caller {
		return contextKey{}, false
	}
	return contextKey{position, f.Context}, true
}

// graph is a relation of waiting; nodes are numbered in the order in which they come.
type graph[K comparable] struct {
	numbers map[K]int
	names   []K
	edges   [][]int
	looped  []bool
}

func newGraph[K comparable]() *graph[K] { return &graph[K]{numbers: make(map[K]int)} }

func (g *graph[K]) node(name K) int {
	number, ok := g.numbers[name]
	if !ok {
		number = len(g.names)
		g.numbers[name] = number
		g.names, g.edges, g.looped = append(g.names, name), append(g.edges, nil), append(g.looped, false)
	}
	return number
}

func (g *graph[K]) edge(from, to K) {
	a, b := g.node(from), g.node(to)
	g.edges[a] = append(g.edges[a], b)
	g.looped[a] = g.looped[a] || a == b
}

// cycles numbers the strongly connected parts that are cycles, from 1.
func (g *graph[K]) cycles() map[K]int {
	n := len(g.names)
	t := &tarjan{edges: g.edges, next: make([]int, n), index: make([]int, n), low: make([]int, n), on: make([]bool, n)}
	found := make(map[K]int)
	cycle := 0
	for root := range g.names {
		t.parts(root, func(part []int) {
			if len(part) == 1 && !g.looped[part[0]] {
				return
			}
			cycle++
			for _, v := range part {
				found[g.names[v]] = cycle
			}
		})
	}
	return found
}

// tarjan finds strongly connected parts, with its own stack because chains of calls are long.
type tarjan struct {
	edges      [][]int
	next       []int // the next edge to examine
	index, low []int
	on         []bool // the stack
	path       []int
	stack      []int
	count      int
}

func (t *tarjan) parts(root int, found func([]int)) {
	if t.index[root] == 0 {
		t.enter(root)
	}
	for len(t.path) > 0 {
		v := t.path[len(t.path)-1]
		if t.next[v] == len(t.edges[v]) {
			t.leave(v, found)
			continue
		}
		w := t.edges[v][t.next[v]]
		if t.index[w] == 0 {
			t.enter(w)
			continue
		}
		if t.on[w] {
			t.low[v] = min(t.low[v], t.low[w])
		}
		t.next[v]++
	}
}

func (t *tarjan) enter(v int) {
	t.count++
	t.index[v], t.low[v], t.on[v] = t.count, t.count, true
	t.path, t.stack = append(t.path, v), append(t.stack, v)
}

func (t *tarjan) leave(v int, found func([]int)) {
	t.path = t.path[:len(t.path)-1]
	if t.low[v] != t.index[v] {
		return
	}
	at := len(t.stack) - 1
	for t.stack[at] != v {
		at--
	}
	for _, w := range t.stack[at:] {
		t.on[w] = false
	}
	found(t.stack[at:])
	t.stack = t.stack[:at]
}
