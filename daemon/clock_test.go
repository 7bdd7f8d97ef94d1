package daemon

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// The client of these tests signs requests of the wall clock's time and takes no answers
// of another.
func TestClientsThatKnowOnlyTheWallClockAreServedAtAnyNetworkTime(t *testing.T) {
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	none := []byte("DIDL\x00\x00")
	clock := controlv1.NewClockClient(dialed(t, d))
	for n, ahead := range []time.Duration{0, time.Minute, 7 * 24 * time.Hour, 40 * 365 * 24 * time.Hour} {
		if _, err := clock.SetTime(u.ctx, &controlv1.SetTimeRequest{Time: timestamppb.New(time.Now().Add(ahead + time.Second))}); err != nil {
			t.Fatal(err)
		}
		if _, err := u.Call(u.ctx, id, id, "inc", none); err != nil {
			t.Errorf("%s ahead: %v", ahead, err)
		}
		if _, err := u.Query(u.ctx, id, id, "get", none); err != nil {
			t.Errorf("%s ahead, a query: %v", ahead, err)
		}
		if n > 0 && d.first.Offset() < ahead/2 {
			t.Errorf("it is %s ahead, want %s", d.first.Offset(), ahead)
		}
	}
	if err := d.first.SetPacing(u.ctx, instance.Pacing{Mode: Manual}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Query(u.ctx, id, id, "get", none); err != nil {
		t.Errorf("paced by hand: %v", err)
	}
}
