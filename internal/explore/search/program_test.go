package search_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/explore/search"
)

// A program is a small system with known numbers of orders: operations of canisters that call each other. An operation
// begins with a message to its canister. Each message makes the calls that its method lists, and the answer to a call
// comes back to the caller. Requests of a pair of canisters stay in order.
type program struct {
	operations []string            // methods "canister.method"
	calls      map[string][]string // of a method, one after the other
}

// run is a run of a program.
type run struct {
	*program
	waiting []message
	order   []string
	queues  map[string]int // requests that were made, by pair
	taken   map[string]int // requests that were delivered, by pair
	log     map[string]string
	moves   []search.Move
	at      []int // positions of the moves in waiting
}

// message is on its way; path is what is left to do when it has arrived.
type message struct {
	name, task, cause string
	receiver          string
	pair              string // of a request
	number            int    // of the request among those of the pair
	then              func(*run, string)
}

// start is a run before its first move.
func (p *program) start() *run {
	r := &run{program: p, queues: map[string]int{}, taken: map[string]int{}, log: map[string]string{}}
	for i, method := range p.operations {
		task := fmt.Sprintf("op%d", i+1)
		r.waiting = append(r.waiting, message{name: task, task: task, receiver: canisterOf(method), then: p.execute(method, task, task, nil)})
	}
	return r
}

func canisterOf(method string) string { return method[:strings.Index(method, ".")] }

// execute is what a method does when its message has arrived: its calls, then its answer.
func (p *program) execute(method, lineage, task string, answer func(*run, string)) func(*run, string) {
	next := answer
	if next == nil {
		next = func(*run, string) {}
	}
	calls := p.calls[method]
	for i := len(calls) - 1; i >= 0; i-- {
		next = p.call(method, calls[i], fmt.Sprintf("%s/%d", lineage, i+1), task, next)
	}
	return next
}

// call sends a request; when the callee has answered, the answer is delivered and then the caller goes on.
func (p *program) call(caller, callee, lineage, task string, then func(*run, string)) func(*run, string) {
	return func(r *run, cause string) {
		pair := canisterOf(caller) + ">" + canisterOf(callee)
		r.queues[pair]++
		answer := func(r *run, cause string) {
			r.waiting = append(r.waiting, message{name: lineage + ".reply", task: task, cause: cause, receiver: canisterOf(caller), then: then})
		}
		r.waiting = append(r.waiting, message{
			name: lineage + ".request", task: task, cause: cause, receiver: canisterOf(callee), pair: pair, number: r.queues[pair],
			then: p.execute(callee, lineage, task, answer),
		})
	}
}

// Moves are the messages that may arrive next.
func (r *run) Moves() []search.Move {
	r.moves, r.at = r.moves[:0], r.at[:0]
	for i, m := range r.waiting {
		if m.pair != "" && m.number != r.taken[m.pair]+1 {
			continue
		}
		r.moves = append(r.moves, search.Move{Name: m.name, Task: m.task, Cause: m.cause, Receiver: int(m.receiver[0])})
		r.at = append(r.at, i)
	}
	return r.moves
}

// Take delivers a message.
func (r *run) Take(at int) {
	m := r.waiting[r.at[at]]
	r.waiting = slices.Delete(r.waiting, r.at[at], r.at[at]+1)
	if m.pair != "" {
		r.taken[m.pair]++
	}
	r.order = append(r.order, m.name)
	r.log[m.receiver] += m.name + " "
	m.then(r, m.name)
}

// Fork is a second run at the same point.
func (r *run) Fork() search.Tree {
	f := *r
	f.waiting, f.order = slices.Clone(r.waiting), slices.Clone(r.order)
	f.queues, f.taken, f.log = maps.Clone(r.queues), maps.Clone(r.taken), maps.Clone(r.log)
	f.moves, f.at = nil, nil
	return &f
}

func (r *run) Close() {}

// class says in which order the messages of each canister came: equal in equivalent runs.
func (r *run) class() string { return fmt.Sprint(r.log) }

// brute counts all orders and all classes without help of the package.
func brute(r *run, classes map[string]bool) (orders int) {
	n := len(r.Moves())
	if n == 0 {
		classes[r.class()] = true
		return 1
	}
	for i := range n {
		next := r.Fork().(*run)
		next.Moves()
		next.Take(i)
		orders += brute(next, classes)
	}
	return orders
}

func withdrawals(k int) *program {
	p := &program{calls: map[string][]string{"bank.withdraw": {"vault.transfer"}}}
	for range k {
		p.operations = append(p.operations, "bank.withdraw")
	}
	return p
}

// programs are small programs of different forms.
var programs = map[string]*program{
	"two withdrawals":   withdrawals(2),
	"three withdrawals": withdrawals(3),
	"two awaits": {
		[]string{"bank.pay", "bank.pay"}, map[string][]string{"bank.pay": {"vault.lock", "vault.pay"}},
	},
	"a chain": {
		[]string{"a.go", "b.go"}, map[string][]string{"a.go": {"b.go", "c.go"}, "b.go": {"c.go"}},
	},
	"callers call each other": {
		[]string{"a.go", "b.back"}, map[string][]string{"a.go": {"b.back"}, "b.back": {"a.end"}},
	},
	"nothing in common": {
		[]string{"a.go", "b.go", "c.go"}, map[string][]string{"a.go": {"d.x"}},
	},
}
