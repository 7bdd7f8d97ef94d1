package management

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// anyArg is an argument that fits every method with sender_canister_version.
type anyArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Target   principal.Principal `ic:"target_canister"`
	Settings settingsArg         `ic:"settings"`
	Mode     installMode         `ic:"mode"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
	Chunks   []chunkHash         `ic:"chunk_hashes_list"`
	Hash     []byte              `ic:"wasm_module_hash"`
	Version  *uint64             `ic:"sender_canister_version"`
}

func TestTheSenderVersionMustBeTheOneTheMessageSaw(t *testing.T) {
	r := newRig(t)
	id := r.target.ID()
	checked := 0
	for _, name := range []string{"create_canister", "update_settings", "install_code", "install_chunked_code", "uninstall_code", "provisional_create_canister_with_cycles"} {
		if !r.facade.methods[name].versioned {
			t.Errorf("%s has no sender_canister_version", name)
		}
		given := r.encode(anyArg{Canister: id, Target: id, Mode: installMode{Install: null}, Version: opt(uint64(5))})
		if reject := r.facade.Sent(name, given, 5, r.Hosted); reject != nil {
			t.Errorf("%s: %s", name, reject)
		}
		r.is(r.facade.Sent(name, given, 6, r.Hosted), intercanister.CanisterContractViolation,
			"Management canister call payload includes sender canister version 5 that does not match the actual sender canister version 6.")
		checked++
	}
	for _, m := range table() {
		if m.versioned {
			checked--
		}
	}
	if checked > 0 {
		t.Errorf("%d methods are missing from the table", checked)
	}
}

func TestACallThatFindsNoSubnetIsAnsweredWhereItIsMade(t *testing.T) {
	r := newRig(t)
	for _, row := range []struct{ method, text string }{
		{"canister_status", "Unable to route management canister request canister_status: SubnetNotFound(CanisterId(aaaaa-aa), DepositCycles)"},
		{"upload_chunk", "Unable to route management canister request upload_chunk: UserError(UserError { code: InvalidManagementPayload, description: \"Error decoding candid: …"},
		{"canister_info", "Unable to route management canister request canister_info: SubnetNotFound(CanisterId(aaaaa-aa), CanisterInfo)"},
	} {
		reject := r.facade.Sent(row.method, r.encode(idArg{}), 1, r.Hosted)
		r.is(reject, intercanister.CanisterNotFound, row.text)
		if reject.Message() != reject.Text {
			t.Errorf("callers read %s", reject.Message())
		}
	}
	if reject := r.facade.Sent("no_such", nil, 1, r.Hosted); reject.Message() != "IC0536: Management canister has no method 'no_such'" {
		t.Errorf("callers read %s", reject.Message())
	}
	if reject := r.facade.Sent("install_code", []byte("rubbish"), 1, r.Hosted); reject.Code != intercanister.CanisterReject || reject.Error != intercanister.InvalidManagementPayload {
		t.Errorf("got %s", reject)
	}
}
