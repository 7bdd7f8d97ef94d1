package workqueue

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// protocol is the version of what coordinators and workers send each other.
const protocol = 1

// prefix begins the names of subjects, streams and buckets.
const (
	prefix      = "canisterd.explore."
	joinSubject = prefix + "join"
	streams     = "canisterd-explore-"
)

// Names of consumers and objects.
const (
	consumer    = "workers"
	description = "description"
	base        = "base"
)

// Headers of messages.
const (
	assignmentHeader = "Canisterd-Assignment" // its number
	baselineHeader   = "Canisterd-Baseline"   // of an assignment: what its worker must see
	tookHeader       = "Canisterd-Took"       // of results: nanoseconds
	errorHeader      = "Canisterd-Error"      // of results: why there are none
	objectHeader     = "Canisterd-Object"     // of results: the object with them
)

// subjects are the subjects of a campaign by its id.
type subjects string

func (id subjects) jobs() string    { return prefix + string(id) + ".jobs" }
func (id subjects) results() string { return prefix + string(id) + ".results" }
func (id subjects) alive() string   { return prefix + string(id) + ".alive" }
func (id subjects) end() string     { return prefix + string(id) + ".end" }

// jobStream and resultStream are names of streams, bucket is the name of the object store.
func (id subjects) jobStream() string    { return streams + string(id) + "-jobs" }
func (id subjects) resultStream() string { return streams + string(id) + "-results" }
func (id subjects) bucket() string       { return streams + string(id) }

// joining is a worker that wants to take part, or that is there.
type joining struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Worker   string `json:"worker"` // unique
	Slots    int    `json:"slots"`
	Error    string `json:"error,omitempty"` // why it leaves
}

// invitation answers a worker.
type invitation struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Campaign string `json:"campaign"`
	Last     bool   `json:"last"` // the server ends with the campaign
	Refusal  string `json:"refusal,omitempty"`
}

// sameVersion is what to do where programs do not work together.
const sameVersion = "use the same version on all computers"

// refusal says why programs of two versions cannot work together, "" if they can.
func refusal(theirProtocol int, theirVersion, ownVersion string) string {
	if theirProtocol == protocol && theirVersion == ownVersion {
		return ""
	}
	return fmt.Sprintf("the campaign is run by canisterd %s, and the worker is canisterd %s: %s", ownVersion, theirVersion, sameVersion)
}

// assignmentOf is the number of the assignment that a message is about.
func assignmentOf(header nats.Header) (uint64, error) {
	number, err := strconv.ParseUint(header.Get(assignmentHeader), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("a message without the number of an assignment: %w", err)
	}
	return number, nil
}

// elapsedIn is how long an assignment has taken, 0 if its message does not say.
func elapsedIn(header nats.Header) time.Duration {
	took, err := strconv.ParseInt(header.Get(tookHeader), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(max(0, took))
}
