package management

import (
	"cmp"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Sent checks a call of a canister when it is made, while the sender has the version that its message saw:
// sender_canister_version must be that version (interface specification, "Canister version"), and a subnet must host
// the canister of a call, by hosted, which is nil if the sender named the subnet. A reject answers the call at once.
func (f *facade) Sent(name string, arg []byte, version uint64, hosted func(principal.Principal) bool) *intercanister.Reject {
	m := f.methods[name]
	if m == nil {
		return cut(rejectNoMethod(name))
	}
	if m.versioned {
		if reject := m.checkVersion(arg, version); reject != nil {
			return cut(reject)
		}
	}
	if m.about == noSubject || hosted == nil {
		return nil
	}
	if err := m.check(arg); err != nil {
		return cut(rejectUnreadable(name, err))
	}
	id, err := m.about.read(arg)
	switch {
	case err != nil:
		return cut(rejectUnreadable(name, err))
	case !hosted(id):
		return rejectUnhosted(m, id)
	}
	return nil
}

// checkVersion compares sender_canister_version, if the argument has it.
func (m *method) checkVersion(arg []byte, version uint64) *intercanister.Reject {
	if err := m.check(arg); err != nil {
		return rejectUndecodable(err)
	}
	var given struct {
		Version *uint64 `ic:"sender_canister_version"`
	}
	if err := candid.Unmarshal(arg, &given); err != nil || given.Version == nil || *given.Version == version {
		return nil // an argument that means no settings has no version
	}
	return rejectSenderVersion(*given.Version, version)
}

func rejectSenderVersion(given, actual uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation,
		"Management canister call payload includes sender canister version %d that does not match the actual sender canister version %d.", given, actual)
}

// rejectUnroutable rejects calls without a route to a subnet. Callers read the bare text.
func rejectUnroutable(method, why string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Unable to route management canister request %s: %s", method, why).WithoutErrorCode()
}

func rejectUnreadable(method string, err error) *intercanister.Reject {
	return rejectUnroutable(method, "UserError(UserError { code: InvalidManagementPayload, description: "+debugged(undecodable(err))+" })")
}

func rejectUnhosted(m *method, id principal.Principal) *intercanister.Reject {
	return rejectUnroutable(m.name, "SubnetNotFound(CanisterId("+id.String()+"), "+variant(cmp.Or(m.unhosted, m.name))+")")
}

// RejectResolved rejects a canister that names a subnet in place of the management canister, which only canisters of
// the root subnet may.
func RejectResolved(method string, subnet principal.Principal) *intercanister.Reject {
	return cut(rejectUnroutable(method, "AlreadyResolved("+subnet.String()+")"))
}

// variant returns the replica's name of a method in this text, where five methods share a name (method.unhosted).
func variant(method string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(method, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}
