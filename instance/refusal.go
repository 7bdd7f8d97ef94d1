package instance

import (
	"slices"

	"github.com/canisterd/canisterd/internal/refusal"
)

// Refusal is a request that the registry or an instance refuses, for one of the Reasons. Nothing happened.
type Refusal = refusal.Refusal

var reasons refusal.Table

// The reasons, with the arguments of their texts.
var (
	// UnknownInstance: name.
	UnknownInstance = reasons.Add("INSTANCE_UNKNOWN", refusal.NotFound, "there is no instance %q", "instance")
	// InstanceExists: name.
	InstanceExists = reasons.Add("INSTANCE_EXISTS", refusal.Exists, "there is an instance %q: take another name, delete it, or leave the name to the daemon", "instance")
	// TooManyInstances: limit.
	TooManyInstances = reasons.Add("TOO_MANY_INSTANCES", refusal.Full, "the daemon has %d instances, which is the most it has: delete some, or bind them to leases", "limit")
	// TooManyKept: limit.
	TooManyKept = reasons.Add("TOO_MANY_KEPT", refusal.Full, "the daemon keeps %d instances on disk, which is the most it keeps: delete some, bind this one to a lease, or let it end with the daemon (ephemeral)", "limit")
	// BadTopology: what is wrong with it.
	BadTopology = reasons.Add("BAD_TOPOLOGY", refusal.Invalid, "subnets are of no network: %v")
	// BadFolder: folder, what is wrong with it.
	BadFolder = reasons.Add("BAD_FOLDER", refusal.Conflict, "state_dir %q cannot be used: %v", "state_dir")
	// BadAddress: address, what is wrong with it.
	BadAddress = reasons.Add("BAD_ADDRESS", refusal.Conflict, "http_listen %q cannot be used: %v", "http_listen")
	// BadField: field, its value, what is allowed or why it is refused.
	BadField = reasons.Add("BAD_FIELD", refusal.Invalid, "%s cannot be %v: %v", "field", "value")
	// BadPacing: what is wrong with it.
	BadPacing = reasons.Add("BAD_PACING", refusal.Invalid, "%s")
	// UnknownLease: lease.
	UnknownLease = reasons.Add("LEASE_UNKNOWN", refusal.NotFound, "there is no lease %q: it has ended, or was never given", "lease")
	// UnknownSnapshot: instance, snapshot.
	UnknownSnapshot = reasons.Add("SNAPSHOT_UNKNOWN", refusal.NotFound, "instance %q has no snapshot %q", "instance", "snapshot")
	// SnapshotExists: instance, snapshot.
	SnapshotExists = reasons.Add("SNAPSHOT_EXISTS", refusal.Exists, "instance %q has a snapshot %q: set replace, or take another name", "instance", "snapshot")
	// TooManySnapshots: instance, limit.
	TooManySnapshots = reasons.Add("TOO_MANY_SNAPSHOTS", refusal.Full, "instance %q has %d snapshots, which is the most an instance has: delete some", "instance", "limit")
	// Stopping has no arguments.
	Stopping = reasons.Add("DAEMON_STOPS", refusal.Unavailable, "the daemon stops")
	// NotManual: operation, instance, its pacing.
	NotManual = reasons.Add("PACING_NOT_MANUAL", refusal.Conflict, "%s needs manual pacing, and rounds of instance %q begin by themselves (%s)", "", "instance", "pacing")
	// TimeGoesBack: the present time, the requested one.
	TimeGoesBack = reasons.Add("TIME_GOES_BACK", refusal.Conflict, "time never goes back: it is %s, and was to be %s", "now", "asked")
	// NoTimer: instance.
	NoTimer = reasons.Add("NO_TIMER", refusal.Conflict, "no canister of instance %q has a timer set, and nothing else waits for a time", "instance")
	// NoSuchMove: what was requested, how many there are.
	NoSuchMove = reasons.Add("NO_SUCH_MOVE", refusal.NotFound, "%s is none of the %d deliveries that may happen next", "", "moves")
	// NoHistory: instance.
	NoHistory = reasons.Add("NO_HISTORY", refusal.Conflict, "instance %q keeps no history: only an instance that is kept in a state directory has one; fork its present, or take snapshots", "instance")
	// UnknownMoment: instance, moment, first and last round that can be reached, their times.
	UnknownMoment = reasons.Add("MOMENT_UNKNOWN", refusal.NotFound, "instance %q has no state %s: its journal goes from round %d to round %d (%s to %s)", "instance", "at", "first", "last", "", "")
	// DamagedInstance: name, why, its directory.
	DamagedInstance = reasons.Add("INSTANCE_DAMAGED", refusal.Conflict, "instance %q is kept, but cannot go on: %v; stop the daemon and repair the directory (canisterd -i NAME state repair) or move it away (%s), or delete the instance", "instance")
	// DamagedPast: instance, what of it, why.
	DamagedPast = reasons.Add("HISTORY_DAMAGED", refusal.Damaged, "instance %q goes on, but %s cannot be read: %v", "instance")
)

// Reasons returns all reasons.
func Reasons() refusal.Table { return slices.Clone(reasons) }
