package control

import (
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/refusal"
)

// codesOfKinds maps the kinds of refusals to codes.
var codesOfKinds = [refusal.Kinds]codes.Code{
	refusal.Invalid:     codes.InvalidArgument,
	refusal.Forbidden:   codes.PermissionDenied,
	refusal.NotFound:    codes.NotFound,
	refusal.Unsupported: codes.Unimplemented,
	refusal.Conflict:    codes.FailedPrecondition,
	refusal.Exists:      codes.AlreadyExists,
	refusal.TooLarge:    codes.ResourceExhausted,
	refusal.Full:        codes.ResourceExhausted,
	refusal.Unavailable: codes.Unavailable,
	refusal.Damaged:     codes.DataLoss,
}

// advice is for clients, behind the texts of package instance.
var advice = map[*refusal.Reason]string{
	instance.UnknownInstance: "ListInstances lists them",
	instance.UnknownLease:    "HoldLease creates one",
	instance.UnknownSnapshot: "ListSnapshots lists them",
	instance.SnapshotExists:  "set replace, or choose another name",
	instance.NotManual:       "call Clock.SetPacing with PACING_MODE_MANUAL first",
	instance.NoSuchMove:      "Clock.ListMoves lists them",
}

// instanceReasons has the reasons of package instance for clients.
var instanceReasons = declareInstanceReasons()

func declareInstanceReasons() map[*refusal.Reason]*Reason {
	all := map[*refusal.Reason]*Reason{}
	for _, r := range instance.Reasons() {
		all[r] = reason(r.Name, codesOfKinds[r.Kind], r.Text, r.Keys...).advise(advice[r])
	}
	return all
}
