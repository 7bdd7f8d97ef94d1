package profile

// Kind is the kind of a frame.
type Kind uint8

// The kinds.
const (
	// Function is a function of the module; Index counts imports too.
	Function Kind = iota
	// Host is a function that the module imports; Index is its place in the caller's list.
	Host
	// Entry is what a message runs; Index is the caller's number for the kind of the message.
	Entry
	// Charge is what is charged beside the code; Index is the caller's number for the reason.
	Charge
	// Await is a call of another canister. It has the messages that the call caused below it.
	Await
)

// Frame identifies a frame of a run.
type Frame struct {
	Kind  Kind
	Index uint32
}

// Weights are what a frame cost, without the frames below it.
type Weights struct {
	Calls        uint64 // how often it was entered; of an await, how many calls were made
	Instructions uint64 // metered
	Cycles       uint64 // that left the balance: attached, burned, and paid for calls
	StableBytes  uint64 // of stable memory read and written
}

// Add adds the weights of another frame.
func (w *Weights) Add(o *Weights) {
	w.Calls += o.Calls
	w.Instructions += o.Instructions
	w.Cycles += o.Cycles
	w.StableBytes += o.StableBytes
}

// Node is a frame at the end of a path from the root.
type Node struct {
	Frame  Frame
	Parent int32 // index of a node before it; -1 of the root
	Weights

	child, sibling int32 // the last child, and the next child of the parent; 0 for none
}

// Tree is the call tree of one run. Nodes[0] is its entry; a node comes after its parent.
type Tree struct {
	Nodes []Node
	// Awaits has the node in which each call to another canister was made, in order.
	Awaits []int32
	// Folded is how many frames were entered without room for a node: their weights are those of the node above.
	Folded uint64
}

// Recorder builds a tree while a run goes on. Counts of executed instructions never decrease.
type Recorder struct {
	Tree
	at      int32  // the node of the innermost frame
	since   uint64 // executed instructions up to which nodes have their counts
	outside uint64 // frames entered below at without a node
}

// NewRecorder begins the tree of a run.
func NewRecorder(entry uint32) *Recorder {
	r := new(Recorder)
	r.Nodes = append(make([]Node, 0, 64), Node{Frame: Frame{Entry, entry}, Parent: -1, Weights: Weights{Calls: 1}})
	return r
}

// count gives the innermost frame the instructions executed since the last call.
func (r *Recorder) count(executed uint64) {
	r.Nodes[r.at].Instructions += executed - r.since
	r.since = executed
}

// Enter begins a frame.
func (r *Recorder) Enter(f Frame, executed uint64) {
	r.count(executed)
	if r.outside > 0 {
		r.outside++
		r.Folded++
		return
	}
	at := r.find(f)
	if at == 0 {
		if len(r.Nodes) >= MaxTreeNodes {
			r.outside, r.Folded = 1, r.Folded+1
			return
		}
		at = int32(len(r.Nodes))
		parent := &r.Nodes[r.at]
		r.Nodes = append(r.Nodes, Node{Frame: f, Parent: r.at, sibling: parent.child})
		r.Nodes[r.at].child = at
	}
	r.at = at
	r.Nodes[at].Calls++
}

// find returns the child of the innermost node with a frame, 0 if there is none. It moves the child to the front: code
// calls the same functions again.
func (r *Recorder) find(f Frame) int32 {
	parent := &r.Nodes[r.at]
	before := int32(0)
	for i := parent.child; i != 0; i = r.Nodes[i].sibling {
		if r.Nodes[i].Frame == f {
			if before != 0 {
				r.Nodes[before].sibling = r.Nodes[i].sibling
				r.Nodes[i].sibling, parent.child = parent.child, i
			}
			return i
		}
		before = i
	}
	return 0
}

// Leave ends the innermost frame.
func (r *Recorder) Leave(executed uint64) {
	r.count(executed)
	if r.outside > 0 {
		r.outside--
		return
	}
	r.at = r.Nodes[r.at].Parent
}

// Withdraw ends the innermost frame as if it had not begun: its function begins again.
func (r *Recorder) Withdraw() {
	if r.outside > 0 {
		r.outside--
		r.Folded--
		return
	}
	r.Nodes[r.at].Calls--
	r.at = r.Nodes[r.at].Parent
}

// Spend adds weights other than instructions to the innermost frame.
func (r *Recorder) Spend(w Weights) { r.Nodes[r.at].Weights.Add(&w) }

// Await records a call to another canister, made by the function that called the host function at hand.
func (r *Recorder) Await() {
	at := r.at
	if r.outside == 0 && r.Nodes[at].Frame.Kind == Host {
		at = r.Nodes[at].Parent
	}
	r.Awaits = append(r.Awaits, at)
}

// End ends all frames. The tree has as many instructions as the run is charged for: the executed ones and charges
// beside the code, at most a limit. What exceeds the limit was executed last, so the innermost frame loses it first.
func (r *Recorder) End(executed uint64, charges []Node, limit uint64) *Tree {
	r.count(executed)
	total := executed
	for i := range charges {
		c := charges[i]
		c.Instructions = min(c.Instructions, limit-min(limit, total))
		if total += c.Instructions; c.Instructions > 0 {
			c.Parent = 0
			r.Nodes = append(r.Nodes, c)
		}
	}
	for excess := total - min(total, limit); excess > 0 && r.at >= 0; r.at = r.Nodes[r.at].Parent {
		n := &r.Nodes[r.at]
		less := min(excess, n.Instructions)
		n.Instructions -= less
		excess -= less
	}
	r.at, r.outside = 0, 0
	return &r.Tree
}

// Instructions returns the instructions of all nodes.
func (t *Tree) Instructions() (n uint64) {
	for i := range t.Nodes {
		n += t.Nodes[i].Instructions
	}
	return n
}
