package driver

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// delivered are the large answers that clients have, the oldest first. Only the holder of owner uses it. It is not saved:
// after a start, answers from before are kept for as long as others.
type delivered struct {
	answers []deliveredAnswer
	bytes   int
}

type deliveredAnswer struct {
	subnet principal.Principal
	id     replica.RequestID
	bytes  int
}

// Delivered says that a client has the answer to a message, in a response of so many bytes. A client may ask again, for
// example if its connection broke. So the newest large answers are kept, up to MaxDeliveredBytes, and the status of older
// ones becomes "done". It does not wait for the owner.
func (d *Driver) Delivered(subnet principal.Principal, id replica.RequestID, bytes int) {
	if bytes < largeAnswer {
		return
	}
	go d.tell(func(d *Driver) {
		a, _ := d.network.IngressAnswer(subnet, id)
		if len(a.Reply) >= largeAnswer {
			d.delivered.add(deliveredAnswer{subnet, id, len(a.Reply)})
		}
		d.readOnly = !d.dropDelivered()
	})
}

func (l *delivered) add(a deliveredAnswer) {
	if slices.ContainsFunc(l.answers, func(o deliveredAnswer) bool { return o.id == a.id && o.subnet == a.subnet }) {
		return
	}
	l.answers = append(l.answers, a)
	l.bytes += a.bytes
}

// dropDelivered drops the oldest answers that clients have, where they are more than MaxDeliveredBytes, and reports whether
// there were any.
func (d *Driver) dropDelivered() bool {
	l := &d.delivered
	if l.bytes <= MaxDeliveredBytes || d.network.Activity().RoundOpen {
		return false
	}
	for l.bytes > MaxDeliveredBytes {
		oldest := l.answers[0]
		l.answers, l.bytes = slices.Delete(l.answers, 0, 1), l.bytes-oldest.bytes
		if d.network.HasSubnet(oldest.subnet) {
			d.network.Apply(&replica.DropAnswers{Subnet: oldest.subnet, Requests: []replica.RequestID{oldest.id}})
		}
	}
	d.account()
	return true
}
