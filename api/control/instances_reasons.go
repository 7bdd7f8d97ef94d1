package control

import (
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/instance"
)

// instanceReasons maps the reasons of package instance for clients.
var instanceReasons = [instance.Reasons]*Reason{
	instance.UnknownInstance:  restated(instance.UnknownInstance, "INSTANCE_UNKNOWN", codes.NotFound, ": ListInstances says which there are"),
	instance.InstanceExists:   restated(instance.InstanceExists, "INSTANCE_EXISTS", codes.AlreadyExists, ""),
	instance.TooManyInstances: restated(instance.TooManyInstances, "TOO_MANY_INSTANCES", codes.ResourceExhausted, ""),
	instance.TooManyKept:      restated(instance.TooManyKept, "TOO_MANY_KEPT", codes.ResourceExhausted, ""),
	instance.BadTopology:      restated(instance.BadTopology, "BAD_TOPOLOGY", codes.InvalidArgument, ""),
	instance.BadFolder:        restated(instance.BadFolder, "BAD_FOLDER", codes.FailedPrecondition, ""),
	instance.BadAddress:       restated(instance.BadAddress, "BAD_ADDRESS", codes.FailedPrecondition, ""),
	instance.BadField:         BadField,
	instance.BadPacing:        restated(instance.BadPacing, "BAD_PACING", codes.InvalidArgument, ""),
	instance.UnknownLease:     restated(instance.UnknownLease, "LEASE_UNKNOWN", codes.NotFound, "; HoldLease gives one"),
	instance.UnknownSnapshot:  restated(instance.UnknownSnapshot, "SNAPSHOT_UNKNOWN", codes.NotFound, ": ListSnapshots says which it has"),
	instance.SnapshotExists:   restated(instance.SnapshotExists, "SNAPSHOT_EXISTS", codes.AlreadyExists, ""),
	instance.TooManySnapshots: restated(instance.TooManySnapshots, "TOO_MANY_SNAPSHOTS", codes.ResourceExhausted, ""),
	instance.Stopping:         DaemonStops,
	instance.NotManual:        restated(instance.NotManual, "PACING_NOT_MANUAL", codes.FailedPrecondition, ": call Clock.SetPacing with PACING_MODE_MANUAL first"),
	instance.TimeGoesBack:     restated(instance.TimeGoesBack, "TIME_GOES_BACK", codes.FailedPrecondition, ""),
	instance.NoTimer:          restated(instance.NoTimer, "NO_TIMER", codes.FailedPrecondition, ""),
	instance.NoHistory:        restated(instance.NoHistory, "NO_HISTORY", codes.FailedPrecondition, ""),
	instance.DamagedInstance:  restated(instance.DamagedInstance, "INSTANCE_DAMAGED", codes.FailedPrecondition, ""),
	instance.DamagedPast:      restated(instance.DamagedPast, "HISTORY_DAMAGED", codes.DataLoss, ""),
	instance.UnknownMoment:    restated(instance.UnknownMoment, "MOMENT_UNKNOWN", codes.NotFound, ""),
	instance.NoSuchMove:       restated(instance.NoSuchMove, "NO_SUCH_MOVE", codes.NotFound, ": Clock.ListMoves lists them"),
}

// restated restates a reason of package instance, with advice for clients.
func restated(r instance.Reason, name string, code codes.Code, advice string) *Reason {
	return reason(name, code, r.Text()+advice, r.Keys()...)
}
