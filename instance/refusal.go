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
	UnknownInstance = reasons.Add("INSTANCE_UNKNOWN", refusal.NotFound, "no instance %q", "instance")
	// InstanceExists: name.
	InstanceExists = reasons.Add("INSTANCE_EXISTS", refusal.Exists, "instance %q already exists: choose another name, delete it, or leave the name empty", "instance")
	// TooManyInstances: limit.
	TooManyInstances = reasons.Add("TOO_MANY_INSTANCES", refusal.Full, "the daemon has %d instances, which is the limit: delete some", "limit")
	// TooManyKept: limit.
	TooManyKept = reasons.Add("TOO_MANY_KEPT", refusal.Full, "the daemon has %d instances on disk, which is the limit: delete some, bind this one to a lease, or make it ephemeral", "limit")
	// BadTopology: what is wrong with it.
	BadTopology = reasons.Add("BAD_TOPOLOGY", refusal.Invalid, "invalid subnets: %v")
	// BadFolder: folder, what is wrong with it.
	BadFolder = reasons.Add("BAD_FOLDER", refusal.Conflict, "state_dir %q cannot be used: %v", "state_dir")
	// BadAddress: address, what is wrong with it.
	BadAddress = reasons.Add("BAD_ADDRESS", refusal.Conflict, "http_listen %q cannot be used: %v", "http_listen")
	// BadField: field, its value, what is allowed or why it is refused.
	BadField = reasons.Add("BAD_FIELD", refusal.Invalid, "invalid %s %v: %v", "field", "value", "problem")
	// BadPacing: what is wrong with it.
	BadPacing = reasons.Add("BAD_PACING", refusal.Invalid, "%s")
	// UnknownLease: lease.
	UnknownLease = reasons.Add("LEASE_UNKNOWN", refusal.NotFound, "lease %q has ended or never existed", "lease")
	// UnknownSnapshot: instance, snapshot.
	UnknownSnapshot = reasons.Add("SNAPSHOT_UNKNOWN", refusal.NotFound, "instance %q has no snapshot %q", "instance", "snapshot")
	// SnapshotExists: instance, snapshot.
	SnapshotExists = reasons.Add("SNAPSHOT_EXISTS", refusal.Exists, "instance %q already has a snapshot %q", "instance", "snapshot")
	// TooManySnapshots: instance, limit.
	TooManySnapshots = reasons.Add("TOO_MANY_SNAPSHOTS", refusal.Full, "instance %q has %d snapshots, which is the limit: delete some", "instance", "limit")
	// Stopping has no arguments.
	Stopping = reasons.Add("DAEMON_STOPS", refusal.Unavailable, "the daemon is stopping")
	// NotManual: operation, instance, its pacing.
	NotManual = reasons.Add("PACING_NOT_MANUAL", refusal.Conflict, "%s needs manual pacing, and instance %q has pacing %s", "", "instance", "pacing")
	// TimeGoesBack: the present time, the requested one.
	TimeGoesBack = reasons.Add("TIME_GOES_BACK", refusal.Conflict, "time never goes back: it is %s, and %s was asked for", "now", "asked")
	// NoTimer: instance.
	NoTimer = reasons.Add("NO_TIMER", refusal.Conflict, "no canister of instance %q has a timer set, and nothing else waits for a time", "instance")
	// NoSuchMove: what was requested, how many there are.
	NoSuchMove = reasons.Add("NO_SUCH_MOVE", refusal.NotFound, "%s is not one of the %d possible deliveries", "", "moves")
	// NoHistory: instance.
	NoHistory = reasons.Add("NO_HISTORY", refusal.Conflict, "instance %q has no history: only an instance in a state directory has one; fork its current state, or take snapshots", "instance")
	// UnknownMoment: instance, moment, first and last round that can be reached, their times.
	UnknownMoment = reasons.Add("MOMENT_UNKNOWN", refusal.NotFound, "instance %q has no state %s: its journal goes from round %d to round %d (%s to %s)", "instance", "at", "first", "last", "", "")
	// DamagedInstance: name, why, its directory.
	DamagedInstance = reasons.Add("INSTANCE_DAMAGED", refusal.Conflict, "instance %q cannot start: %v; stop the daemon and repair the directory (canisterd -i NAME state repair) or move it away (%s), or delete the instance", "instance")
	// DamagedPast: instance, what of it, why.
	DamagedPast = reasons.Add("HISTORY_DAMAGED", refusal.Damaged, "instance %q runs, but %s cannot be read: %v", "instance")
)

// Reasons returns all reasons.
func Reasons() refusal.Table { return slices.Clone(reasons) }
