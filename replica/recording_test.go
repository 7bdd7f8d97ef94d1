package replica

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// recorded is one subnet's state without canisters, whose rounds are made by hand.
type recorded struct {
	*subnet
	now uint64
}

func newRecorded() *recorded {
	n := &Network{config: Config{Keys: new(Keys)}, index: new(readIndex), routes: new(routes), delegations: new(delegations)}
	n.views = &Views{network: n}
	n.subnets = []*subnet{newSubnet(n, 0, &SubnetConfig{}, certify.NewSubnetKey(certify.Seed{}))}
	m := n.subnets[0]
	m.record.base = m.net.staticTree()
	r := &recorded{subnet: m, now: 1}
	r.end()
	return r
}

// end ends a round.
func (r *recorded) end() {
	r.Height++
	r.Time = r.now
	r.net.time, r.net.height = r.now, r.Height
	r.net.publish()
}

// receive enters a message; answer answers it.
func (r *recorded) receive(id RequestID) {
	r.Show(r.History.Receive(&state.Ingress{ID: id, Expiry: r.now + 10}, &r.Deadlines))
}

func (r *recorded) answer(id RequestID, reply string) {
	if in := r.History.Find(id); in != nil && !in.Status.Terminal() {
		var reject *intercanister.Reject
		if len(reply)%2 == 1 {
			reject = intercanister.Rejectf(intercanister.CanisterTrapped, "%s", reply)
		}
		if in.Status == Received {
			r.History.Begin(in)
		}
		r.Show(r.History.Answer(r.History.Find(id), []byte(reply), reject, r.now, &r.Deadlines, r.subnet.Show))
	}
}

// forget prunes a message that is answered.
func (r *recorded) forget(id RequestID) {
	if in := r.History.Find(id); in != nil && in.Status.Terminal() {
		r.Show(r.History.Forget(in, &r.Deadlines))
	}
}

// fromScratch is what the tree shows of all messages, made of the state alone.
func (r *recorded) fromScratch() certify.Tree {
	var all []certify.Change
	for in := range r.History.All() {
		change := requestChangeOf(in)
		all = append(all, certify.Change{Label: certify.Label(in.ID[:]), Node: change.node()})
	}
	return certify.Tree{}.Apply(all, "request_status")
}

// shows fails where a tree shows other messages than another.
func shows(t *testing.T, round int, tree, want certify.Tree) {
	t.Helper()
	found, _ := tree.Get("request_status")
	wanted, _ := want.Get("request_status")
	if found.Len() != wanted.Len() || found.Len() > 0 && found.Hash() != wanted.Hash() {
		t.Fatalf("after round %d the tree shows %d messages otherwise than it should, %d", round, found.Len(), wanted.Len())
	}
}

func requestOf(n uint64) (id RequestID) {
	binary.BigEndian.PutUint64(id[:], n*0x9e3779b97f4a7c15)
	return id
}

func TestARequestThatCameAndWentBetweenTwoCertificatesLeavesNoWork(t *testing.T) {
	r := newRecorded()
	r.net.View() // a reader has seen the network before
	for n := range uint64(3 * MaxUnstaged) {
		r.receive(requestOf(n))
		r.answer(requestOf(n), "answer")
		if n >= 100 {
			r.forget(requestOf(n - 100))
		}
		r.end()
	}
	if n := len(r.record.requests.list); n > 100+2*compactFrom+100 {
		t.Errorf("%d changes are recorded of 100 messages", n)
	}
	if want := 100 * len("answer"); r.record.bytes != want {
		t.Errorf("answers of %d bytes are recorded, want %d", r.record.bytes, want)
	}
	if _, made := r.record.base.Get("request_status"); made {
		t.Error("a tree was made without a reader")
	}
	if n := len(r.net.index.requests); n != 0 {
		t.Errorf("who made them is remembered for %d subnets, and no reader came", n)
	}
	shows(t, 0, r.staged().height().Tree(), r.fromScratch())
}

func TestATreeThatAReaderHasMadeIsTheBaseOfTheNext(t *testing.T) {
	r := newRecorded()
	r.receive(requestOf(1))
	r.end()
	r.net.View()
	if r.end(); len(r.record.requests.list) != 1 {
		t.Errorf("%d changes are recorded after a view whose tree was not built, want 1", len(r.record.requests.list))
	}
	r.net.View()
	r.staged().height()
	if r.end(); len(r.record.requests.list) != 0 {
		t.Errorf("%d changes are recorded that are in a tree", len(r.record.requests.list))
	}
	shows(t, 0, r.staged().height().Tree(), r.fromScratch())
}

// Readers who hold on to views must see each as it was, and each must be what the state was.
func TestTheTreeAfterRandomRoundsIsTheTreeMadeFromScratch(t *testing.T) {
	for seed := range uint64(30) {
		chance := rand.New(rand.NewPCG(seed, 1))
		r := newRecorded()
		type held struct {
			view *View
			want certify.Tree
		}
		var views []held
		readers, lives := chance.IntN(8), uint64(1+chance.IntN(300))
		for round := range 400 {
			for range chance.IntN(6) {
				id := requestOf(chance.Uint64N(lives))
				switch chance.IntN(4) {
				case 0:
					if r.History.Find(id) == nil {
						r.receive(id)
					}
				case 1, 2:
					r.answer(id, fmt.Sprint(chance.IntN(1000)))
				case 3:
					r.forget(id) // and perhaps the same id comes again
				}
			}
			r.now += chance.Uint64N(3)
			r.end()
			if chance.IntN(8) < readers {
				v := r.net.View()
				views = append(views, held{v, r.fromScratch()})
				if chance.IntN(3) == 0 {
					shows(t, round, v.Root().Certified().Tree(), r.fromScratch())
				}
				for in := range r.History.All() {
					if _, _, _, ok := v.Request(r.ID, in.ID); !ok {
						t.Fatalf("seed %d, round %d: a view does not know who made message %x", seed, round, in.ID[:4])
					}
				}
			}
		}
		for i, h := range views {
			shows(t, i, h.view.Root().Certified().Tree(), h.want)
		}
		shows(t, 400, r.staged().height().Tree(), r.fromScratch())
	}
}

func TestOfSeveralChangesOfARequestTheLastCounts(t *testing.T) {
	one, other := requestOf(1), requestOf(1)
	other[31]++ // the same except the end
	list := []requestChange{
		{id: other, status: Received}, {id: one, status: Received}, {cancelled: true}, {id: one, gone: true}, {id: other, status: Processing}, {id: one, status: Replied},
	}
	last := lastOfEach(changeParts[requestChange]{list[:len(list)/2], list[len(list)/2:]})
	if len(last) != 2 || !bytes.Equal([]byte(last[0].Label), one[:]) || last[0].Gone || !bytes.Equal([]byte(last[1].Label), other[:]) {
		t.Fatalf("got %v", last)
	}
}

func TestNothingIsMadeForRoundsWithoutAReader(t *testing.T) {
	r := newRecorded()
	r.end()
	if got := testing.AllocsPerRun(1000, r.end); got >= 1 {
		t.Errorf("%.0f allocations in a round without a change and a reader", got)
	}
	if first := r.net.View(); first != r.net.View() {
		t.Error("two readers have two views of one round")
	}
}
