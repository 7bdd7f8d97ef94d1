package management

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// FuzzAnyMethodWithAnyArgument looks for arguments that break the management
// canister: it must answer, with the cycles accounted for and no answer both
// reply and reject.
func FuzzAnyMethodWithAnyArgument(f *testing.F) {
	methods := table()
	seed := newRig(f)
	for i, m := range methods {
		f.Add(uint8(i), uint8(i), seed.encode(argFor(m.name, seed.target.ID())))
		f.Add(uint8(i), uint8(i+1), []byte("DIDL\x00\x00"))
		f.Add(uint8(i), uint8(i+2), []byte{})
	}
	f.Fuzz(func(t *testing.T, which, road uint8, arg []byte) {
		r := newRig(t)
		other := r.add(2, alice, r.target.ID())
		r.target.Canister.Status = []canister.Status{canister.Running, canister.Stopping, canister.Stopped}[road/2%3]
		r.target.Running = road&64 != 0
		method := methods[int(which)%len(methods)].name
		c := r.byUser(alice, method)
		if road%2 == 1 {
			c = r.byCanister(other, 600_000_000_000, method)
		}
		c.Arg = arg
		attached := c.Attached
		r.facade.Effective(method, arg)
		r.facade.Admit(c)
		r.facade.Sent(method, arg, 3, r.Hosted)
		for _, execute := range []func(*state.ManagementCall) state.Answer{r.facade.Query, r.run} {
			a := execute(c)
			if a.Reject != nil && (a.Reply != nil || a.When != state.Now) {
				t.Errorf("%s: %+v", method, a)
			}
			if a.Reject != nil && a.Reject.Code != a.Reject.Error.Reject() {
				t.Errorf("%s: %s", method, a.Reject)
			}
			if (a.Reject != nil || a.When == state.Busy) && c.Attached != attached {
				t.Errorf("%s kept cycles and did nothing", method)
			}
		}
		if c.FromUser() && c.Attached != (cycles.Amount{}) {
			t.Errorf("%s made cycles", method)
		}
	})
}
