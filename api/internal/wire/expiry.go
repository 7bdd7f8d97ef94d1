package wire

import (
	"fmt"
	"time"
)

// CheckExpiry refuses a request whose ingress_expiry is past, or further away than MaxIngressTTL and PermittedDrift
// (interface specification, "Authentication"). Times are nanoseconds since 1970. exempt is true for an anonymous query
// or read_state, which needs no expiry (see Exempt).
func CheckExpiry(expiry, now uint64, exempt bool) error {
	const window = MaxIngressTTL + PermittedDrift
	if exempt {
		return nil
	}
	if now+window < now {
		return refuse("Invalid request expiry: Addition of min_allowed_expiry Time(%d) with max_expiry_diff %ds overflows", now, window/1e9)
	}
	if expiry < now || expiry > now+window {
		return refuse("Invalid request expiry: Specified ingress_expiry not within expected range: "+
			"Minimum allowed expiry: %s, Maximum allowed expiry: %s, Provided expiry:        %s",
			timeText(now), timeText(now+window), timeText(expiry))
	}
	return nil
}

// Exempt reports whether the request needs no expiry: an anonymous one that changes nothing.
func (e *Envelope) Exempt() bool {
	return e.Kind != KindCall && e.Sender.IsAnonymous()
}

// timeText formats nanoseconds since 1970 as the replica does: in UTC, with as many groups of three decimals as needed.
func timeText(ns uint64) string {
	t := time.Unix(int64(ns/1e9), int64(ns%1e9)).UTC()
	text := t.Format("2006-01-02 15:04:05")
	switch frac := ns % 1e9; {
	case frac == 0:
	case frac%1e6 == 0:
		text += fmt.Sprintf(".%03d", frac/1e6)
	case frac%1e3 == 0:
		text += fmt.Sprintf(".%06d", frac/1e3)
	default:
		text += fmt.Sprintf(".%09d", frac)
	}
	return text + " UTC"
}
