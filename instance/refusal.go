package instance

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/refusal"
)

// Reason is why the registry or an instance refuses something.
type Reason uint8

// The reasons, with the arguments of their texts.
const (
	UnknownInstance  Reason = iota // name
	InstanceExists                 // name
	TooManyInstances               // limit
	TooManyKept                    // limit
	BadTopology                    // what is wrong with it
	BadFolder                      // folder, what is wrong with it
	BadAddress                     // address, what is wrong with it
	BadField                       // field, its value, what is allowed or why it is refused
	BadPacing                      // what is wrong with it
	UnknownLease                   // lease
	UnknownSnapshot                // instance, snapshot
	SnapshotExists                 // instance, snapshot
	TooManySnapshots               // instance, limit
	Stopping                       //
	NotManual                      // operation, instance, its pacing
	TimeGoesBack                   // the present time, the requested one
	NoTimer                        // instance
	NoSuchMove                     // what was requested, how many there are
	NoHistory                      // instance
	UnknownMoment                  // instance, moment, first and last round that can be reached, their times
	DamagedInstance                // name, why, its directory
	DamagedPast                    // instance, what of it, why
	Reasons                        // how many there are
)

// reasons describes each reason.
var reasons = [Reasons]struct {
	kind refusal.Kind
	text string
	keys []string // names of the arguments; "" for one that is only in the text
}{
	UnknownInstance:  {refusal.NotFound, "there is no instance %q", []string{"instance"}},
	InstanceExists:   {refusal.Conflict, "there is an instance %q: take another name, delete it, or leave the name to the daemon", []string{"instance"}},
	TooManyInstances: {refusal.Full, "the daemon has %d instances, which is the most it has: delete some, or bind them to leases", []string{"limit"}},
	TooManyKept:      {refusal.Full, "the daemon keeps %d instances on disk, which is the most it keeps: delete some, bind this one to a lease, or let it end with the daemon (ephemeral)", []string{"limit"}},
	BadTopology:      {refusal.Invalid, "subnets are of no network: %v", nil},
	BadFolder:        {refusal.Conflict, "state_dir %q cannot be used: %v", []string{"state_dir"}},
	BadAddress:       {refusal.Conflict, "http_listen %q cannot be used: %v", []string{"http_listen"}},
	BadField:         {refusal.Invalid, "%s cannot be %v: %v", []string{"field", "value"}},
	BadPacing:        {refusal.Invalid, "%s", nil},
	UnknownLease:     {refusal.NotFound, "there is no lease %q: it has ended, or was never given", []string{"lease"}},
	UnknownSnapshot:  {refusal.NotFound, "instance %q has no snapshot %q", []string{"instance", "snapshot"}},
	SnapshotExists:   {refusal.Conflict, "instance %q has a snapshot %q: set replace, or take another name", []string{"instance", "snapshot"}},
	TooManySnapshots: {refusal.Full, "instance %q has %d snapshots, which is the most an instance has: delete some", []string{"instance", "limit"}},
	Stopping:         {refusal.Unavailable, "the daemon stops", nil},
	NotManual:        {refusal.Conflict, "%s needs manual pacing, and rounds of instance %q begin by themselves (%s)", []string{"", "instance", "pacing"}},
	TimeGoesBack:     {refusal.Conflict, "time never goes back: it is %s, and was to be %s", []string{"now", "asked"}},
	NoTimer:          {refusal.Conflict, "no canister of instance %q has a timer set, and nothing else waits for a time", []string{"instance"}},
	NoHistory:        {refusal.Conflict, "instance %q keeps no history: only an instance that is kept in a state directory has one; fork its present, or take snapshots", []string{"instance"}},
	DamagedInstance:  {refusal.Conflict, "instance %q is kept, but cannot go on: %v; stop the daemon and repair the directory (canisterd -i NAME state repair) or move it away (%s), or delete the instance", []string{"instance"}},
	DamagedPast:      {refusal.Conflict, "instance %q goes on, but %s cannot be read: %v", []string{"instance"}},
	UnknownMoment:    {refusal.NotFound, "instance %q has no state %s: its journal goes from round %d to round %d (%s to %s)", []string{"instance", "at", "first", "last", "", ""}},
	NoSuchMove:       {refusal.NotFound, "%s is none of the %d deliveries that may happen next", []string{"", "moves"}},
}

// Text returns the text of refusals, with verbs for the arguments.
func (r Reason) Text() string { return reasons[r].text }

// Keys returns the names of the arguments, "" for one that is only in the text. Arguments without a key are only in the
// text, too.
func (r Reason) Keys() []string { return reasons[r].keys }

// Refuse returns a refusal for a reason, with the arguments of its text.
func (r Reason) Refuse(args ...any) *Refusal { return &Refusal{r, args} }

// Refusal is a request that the registry or an instance refuses. Nothing happened.
type Refusal struct {
	Reason    Reason
	Arguments []any
}

// Error returns the text.
func (r *Refusal) Error() string { return fmt.Sprintf(reasons[r.Reason].text, r.Arguments...) }

// Unwrap returns the refusal for code that does not know Reasons.
func (r *Refusal) Unwrap() error { return refusal.New(reasons[r.Reason].kind, "%s", r.Error()) }
