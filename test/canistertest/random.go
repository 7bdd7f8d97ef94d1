package canistertest

import (
	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
)

// What random programs are bounded by.
const (
	maxCallDepth = 3 // calls within the programs of calls
	maxCalls     = 6 // in a whole program, those in arguments and callbacks included
	maxEffects   = 4 // statements before the answer
)

// Programs draws programs for the update method of scriptable canisters that call peers, which
// are scriptable canisters too. Most answer once, at once or in a callback; some trap, answer
// twice or never. They end: calls are at most 3 deep and 6 in all, loops short, and nothing
// starts itself again. They print as text.
func Programs(peers ...principal.Principal) *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		r := random{t: t, peers: peers, calls: maxCalls}
		return r.program(updating, true)
	})
}

// Queries draws programs for the query method: they make no calls.
func Queries() *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		r := random{t: t}
		return r.program(querying, true)
	})
}

// Compositions draws programs for the composite query method, which call query methods of
// peers.
func Compositions(peers ...principal.Principal) *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		r := random{t: t, peers: peers, calls: maxCalls}
		return r.program(composing, true)
	})
}

// RandomProgram draws one of Programs.
func RandomProgram(t *rapid.T, peers ...principal.Principal) *Program {
	return Programs(peers...).Draw(t, "program")
}

// RandomOperations draws any operations in any order, some of them with operands.
func RandomOperations(t *rapid.T) *Program {
	return rapid.Custom(func(t *rapid.T) *Program {
		r := random{t: t}
		return r.operations(3)
	}).Draw(t, "operations")
}

// way is what a program may do.
type way int

const (
	updating way = iota
	querying
	composing
	cleaning
)

type random struct {
	t     *rapid.T
	peers []principal.Principal
	calls int // that may still be made
	depth int // of calls
	bare  int // programs that may not call: loops and hooks
}

func (r *random) below(n int) int  { return rapid.IntRange(0, n-1).Draw(r.t, "n") }
func (r *random) oneIn(n int) bool { return r.below(n) == n-1 }
func (r *random) amount() uint64   { return uint64(r.below(10)) * 1_000_000 }
func (r *random) word() string {
	return rapid.SampledFrom([]string{"", "a", "bc", "def"}).Draw(r.t, "word")
}

func (r *random) mayCall(w way) bool {
	return (w == updating || w == composing) && len(r.peers) > 0 && r.calls > 0 && r.depth < maxCallDepth && r.bare == 0
}
func (r *random) peer() principal.Principal { return r.peers[r.below(len(r.peers))] }

// program is some effects and, where it owes one, an answer.
func (r *random) program(w way, owes bool) *Program {
	p := Script()
	for range r.below(maxEffects + 1) {
		r.effect(p, w)
	}
	if owes {
		r.answer(p, w)
	}
	return p
}

func (r *random) answer(p *Program, w way) {
	switch n := r.below(16); {
	case n < 5 && r.mayCall(w):
		r.call(p, w, true)
	case n < 10:
		r.value(p, w)
		p.ReplyTop()
	case n < 12:
		p.Reject(r.word())
	case n == 12:
		p.Trap(r.word())
	case n == 13:
		p.Fault()
	case n == 14:
		p.ReplyText("once").ReplyText("twice")
	}
}

// value pushes a blob.
func (r *random) value(p *Program, w way) {
	switch n := r.below(8); {
	case n == 0 && w != cleaning:
		p.Caller()
	case n == 1:
		p.Get().ToBlob()
	case n == 2:
		p.HeapRead(uint64(r.below(8)), 8)
	case n == 3:
		p.Time().ToBlob()
	case n == 4:
		p.Self()
	case n == 5 && w == updating:
		p.Balance()
	default:
		p.Text(r.word())
	}
}

func (r *random) effect(p *Program, w way) {
	switch n := r.below(12); {
	case n == 0:
		p.Count(uint64(r.below(5)))
	case n == 1:
		p.HeapWrite(uint64(r.below(16)), []byte(r.word()))
	case n == 2:
		p.StableGrow(1).Drop().StableWrite(uint64(r.below(16)), []byte(r.word()))
	case n == 3:
		p.Touch(uint64(r.below(4)))
	case n == 4:
		p.Busy(uint64(r.below(1000)))
	case n == 5 && r.bare < 2:
		r.bare++
		p.Repeat(uint64(r.below(4)), r.program(w, false))
		r.bare--
	case n == 6 && r.bare < 2:
		r.bare++
		p.Get().Int(uint64(r.below(5))).Less().If(r.program(w, false))
		r.bare--
	case n == 7:
		p.Print(r.word())
	case n == 8 && w != cleaning:
		r.value(p, w)
		p.Append()
	case n >= 9 && r.mayCall(w):
		r.call(p, w, false)
	case w == updating:
		r.lasting(p)
	}
}

// lasting is an effect of updates alone.
func (r *random) lasting(p *Program) {
	switch n := r.below(5); {
	case n == 0:
		p.Accept(r.amount()).Drop()
	case n == 1:
		p.Burn(r.amount()).Drop()
	case n == 2:
		p.Certify([]byte(r.word()))
	case n == 3:
		p.Grow(1).Drop()
	case n == 4 && r.bare == 0:
		r.bare++
		p.Hook(HookTimer, fitting(r.program(cleaning, false), kept))
		r.bare--
		p.Time().Int(uint64(r.below(10_000_000_000))).Add().op(opTimer).Drop()
	}
}

// fitting is a program, or an empty one where it is too long.
func fitting(p *Program, limit int) *Program {
	if len(p.Bytes()) > limit {
		return Script()
	}
	return p
}

// call makes a call; where an answer is owed the callbacks give it.
func (r *random) call(p *Program, w way, owes bool) {
	r.calls--
	r.depth++
	c := Call{Callee: r.peer()}
	switch {
	case r.oneIn(8):
		c.Method = "missing"
	case w == composing && r.oneIn(2):
		c.Method, c.Program = "ask", r.program(composing, true)
	case w == composing || r.oneIn(5):
		c.Method, c.Program = "query", r.program(querying, true)
	default:
		c.Program = r.program(updating, true)
	}
	c.OnReply, c.OnReject = r.callback(w, owes), r.callback(w, owes)
	if r.oneIn(2) {
		c.OnCleanup = fitting(r.program(cleaning, false), kept/4)
	}
	if w == updating {
		c.Cycles = r.amount()
		if r.oneIn(4) {
			seconds := uint64(r.below(20))
			c.Timeout = &seconds
		}
	}
	r.depth--
	p.Call(c)
	if owes {
		p.If(Script().Reject("not sent"))
	} else {
		p.Drop()
	}
}

// callback is a program that fits beside two others into what is kept for a call.
func (r *random) callback(w way, owes bool) *Program {
	p := r.program(w, owes)
	if len(p.Bytes()) <= kept*3/8 {
		return p
	}
	if owes {
		return Script().ReplyText("short")
	}
	return Script()
}

// operations are any operations. Programs within go one less deep.
func (r *random) operations(depth int) *Program {
	p := Script()
	for range r.below(12) {
		op := &operations[r.below(len(operations))]
		if r.below(4) > 0 {
			for _, takes := range op.takes {
				r.operandOf(p, byte(takes), depth)
			}
		}
		switch op.code {
		case opInt, opBlob:
			r.operandOf(p, "nb"[op.code-opInt], depth)
		case opRepeat, opIf:
			p.block(op.code, r.inner(depth))
		default:
			p.op(op.code)
		}
	}
	return p
}

func (r *random) inner(depth int) *Program {
	if depth == 0 {
		return Script()
	}
	return r.operations(depth - 1)
}

func (r *random) operandOf(p *Program, takes byte, depth int) {
	switch {
	case takes == 'p':
		p.Program(r.inner(depth))
	case takes == 'n' || takes == 'v' && r.oneIn(2):
		p.Int(rapid.SampledFrom([]uint64{0, 1, 2, 3, 100, 65536, 1 << 20, 1 << 31, 1 << 32, 1 << 48, 1 << 63, 1<<64 - 1}).Draw(r.t, "number"))
	default:
		p.Blob(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(r.t, "blob"))
	}
}
