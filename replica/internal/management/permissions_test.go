package management

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// argFor is a well-formed argument about a canister.
func argFor(method string, id principal.Principal) any {
	switch method {
	case "install_code":
		return installArg{Canister: id, Mode: installMode{Install: null}}
	case "install_chunked_code":
		return installChunkedArg{Target: id, Mode: installMode{Install: null}, Hash: make([]byte, 32)}
	case "update_settings":
		return updateSettingsArg{Canister: id}
	case "upload_chunk":
		return uploadArg{Canister: id, Chunk: []byte("chunk")}
	case "provisional_top_up_canister":
		return topUpArg{Canister: id}
	case "canister_metadata":
		return metadataArg{Canister: id}
	case "create_canister":
		return createArg{}
	case "ecdsa_public_key", "sign_with_ecdsa", "schnorr_public_key", "sign_with_schnorr", "vetkd_public_key", "vetkd_derive_key":
		return keyArgFor(method)
	case "provisional_create_canister_with_cycles":
		return provisionalCreateArg{}
	}
	return idArg{id}
}

var controlledMethods = []string{
	"update_settings", "install_code", "install_chunked_code", "uninstall_code", "upload_chunk", "clear_chunk_store", "stored_chunks",
	"start_canister", "stop_canister", "delete_canister", "canister_status", "canister_metrics",
}

// denied is the text for callers that may not read the status.
func denied(who principal.Principal) string {
	return "Caller " + who.String() + " is not allowed to read the canister status"
}

func TestUsersWhoControlTheCanisterAreAdmittedAndOthersAreNot(t *testing.T) {
	for _, method := range controlledMethods {
		t.Run(method, func(t *testing.T) {
			r := newRig(t)
			id := r.target.ID()
			r.admitted(r.byUser(alice, method, argFor(method, id)))
			code, text := intercanister.CanisterInvalidController, "Only controllers of canister "+id.String()+" can call ic00 method "+method
			switch r.facade.methods[method].authority {
			case controllersAndAdmins:
				text = r.control(bob)
			case statusViewers:
				code, text = intercanister.CanisterStatusAccessDenied, denied(bob)
			}
			r.refusedAtTheDoor(r.byUser(bob, method, argFor(method, id)), code, text)
			r.refusedAtTheDoor(r.byUser(alice, method, argFor(method, nowhere)), intercanister.CanisterNotFound,
				"Canister "+nowhere.String()+" not found")
		})
	}
}

func TestControllersAreCheckedAgainInTheRound(t *testing.T) {
	for _, method := range controlledMethods {
		t.Run(method, func(t *testing.T) {
			r := newRig(t)
			stranger := r.add(2, bob)
			code, text := intercanister.CanisterInvalidController, r.control
			if method == "canister_status" {
				code, text = intercanister.CanisterStatusAccessDenied, denied
			}
			r.rejected(r.byUser(bob, method, argFor(method, r.target.ID())), code, text(bob))
			r.rejected(r.byCanister(stranger, 500, method, argFor(method, r.target.ID())), code, text(stranger.ID()))
			if r.target.Canister.Version != 0 || len(r.deleted)+len(r.emptied)+len(r.started)+len(r.tickets) > 0 {
				t.Error("a stranger changed something")
			}
		})
	}
}

func TestOnlySomeMethodsAreOpenToTheCanisterItself(t *testing.T) {
	open := map[string]bool{"upload_chunk": true, "clear_chunk_store": true, "stored_chunks": true, "canister_status": true}
	for _, method := range controlledMethods {
		r := newRig(t)
		if method == "delete_canister" || method == "install_chunked_code" {
			continue // they have texts of their own
		}
		a := r.run(r.byCanister(r.target, 0, method, argFor(method, r.target.ID())))
		if (a.Reject == nil) != open[method] {
			t.Errorf("%s by the canister itself: %v", method, a.Reject)
		}
	}
}

func TestMethodsForCanistersAreClosedToUsers(t *testing.T) {
	texts := map[string]string{
		"create_canister":     "Only canisters can call ic00 method create_canister",
		"deposit_cycles":      "ic00 method deposit_cycles can not be called via ingress messages",
		"raw_rand":            "ic00 method raw_rand can not be called via ingress messages",
		"sign_with_ecdsa":     "ic00 method sign_with_ecdsa can not be called via ingress messages",
		"vetkd_public_key":    "ic00 method vetkd_public_key can not be called via ingress messages",
		"fetch_canister_logs": "ic00 method fetch_canister_logs can not be called via ingress messages",
		"canister_info":       "Only canisters can call ic00 method canister_info",
		"canister_metadata":   "Only canisters can call ic00 method canister_metadata",
	}
	for method, text := range texts {
		r := newRig(t)
		r.refusedAtTheDoor(r.byUser(alice, method, argFor(method, r.target.ID())), intercanister.CanisterRejectedMessage, text)
		if method != "fetch_canister_logs" {
			r.rejected(r.byUser(alice, method, argFor(method, r.target.ID())), intercanister.CanisterContractViolation, method+" cannot be called by a user.")
		}
	}
}

func TestProvisionalMethodsAreOpenToEveryone(t *testing.T) {
	r := newRig(t)
	for _, method := range []string{"provisional_create_canister_with_cycles", "provisional_top_up_canister"} {
		r.admitted(r.byUser(principal.Anonymous, method, argFor(method, r.target.ID())))
		if a := r.run(r.byUser(principal.Anonymous, method, argFor(method, r.target.ID()))); a.Reject != nil {
			t.Errorf("%s: %s", method, a.Reject)
		}
	}
}

func TestMethodsThatAreNotThereAnswerLikeTheReplica(t *testing.T) {
	r := newRig(t)
	for _, method := range []string{"sign_with_rsa", "take_snapshot", "rename_canister", "", "Create_canister"} {
		_, anywhere, reject := r.facade.Effective(method, r.encode())
		r.is(reject, intercanister.CanisterMethodNotFound, "ic00 interface does not expose method "+method)
		r.refusedAtTheDoor(r.byUser(alice, method), intercanister.CanisterMethodNotFound, "ic00 interface does not expose method "+method)
		r.rejected(r.byCanister(r.target, 9, method), intercanister.CanisterMethodNotFound, "Management canister has no method '"+method+"'")
		r.is(r.facade.Query(r.byUser(alice, method)).Reject, intercanister.CanisterMethodNotFound, "Query method "+method+" not found.")
		if anywhere {
			t.Errorf("%s is about no canister", method)
		}
	}
	r.is(r.facade.Query(r.byUser(alice, "start_canister", idArg{r.target.ID()})).Reject, intercanister.CanisterMethodNotFound, "Query method start_canister not found.")
}

func TestTheEffectiveCanisterIsTheOneInTheArgument(t *testing.T) {
	r := newRig(t)
	for _, m := range table() {
		id, anywhere, reject := r.facade.Effective(m.name, r.encode(argFor(m.name, r.target.ID())))
		if reject != nil || anywhere != (m.about == noSubject) || !anywhere && id != r.target.ID() {
			t.Errorf("%s: %s, anywhere %v, %v", m.name, id, anywhere, reject)
		}
	}
}

func TestAnArgumentThatIsNotCandidHasItsText(t *testing.T) {
	r := newRig(t)
	const door = "Failed to parse payload for ic00 method start_canister: IC0408: Error decoding candid: …"
	_, _, reject := r.facade.Effective("start_canister", []byte{1, 2, 3})
	r.is(reject, intercanister.InvalidManagementPayload, door)
	c := r.byUser(alice, "start_canister")
	r.refusedAtTheDoor(c, intercanister.InvalidManagementPayload, door)
	r.rejected(c, intercanister.InvalidManagementPayload, "Error decoding candid: …")
	r.rejected(r.byUser(alice, "start_canister", "text"), intercanister.InvalidManagementPayload, "Error decoding candid: …")
	if _, anywhere, reject := r.facade.Effective("deposit_cycles", nil); !anywhere || reject != nil {
		t.Error("deposit_cycles with rubbish is refused where it is executed")
	}
}

func TestCallersFromOtherSubnetsMayOnlyCallWhatTheyMay(t *testing.T) {
	r := newRig(t)
	stranger, friend := principal.Canister(70), principal.Canister(71)
	r.hosted[stranger], r.hosted[friend] = far, root
	from := func(id principal.Principal, method string, arg ...any) *state.ManagementCall {
		c := r.byCanister(r.target, 1_000_000_000_000, method, arg...)
		c.Sender, c.Caller, c.Origin.Caller = nil, id, id
		return c
	}
	r.rejected(from(stranger, "raw_rand"), intercanister.CanisterContractViolation,
		"Incorrect sender subnet id: "+far.String()+". Sender should be on the same subnet or on the NNS subnet.")
	r.rejected(from(stranger, "create_canister", createArg{}), intercanister.CanisterContractViolation,
		"Cannot create canister. Sender should be on the same subnet or on the NNS subnet.")
	r.replied(from(friend, "raw_rand"), new([]byte))
	r.replied(from(friend, "create_canister", createArg{}), new(idArg))
	r.replied(from(stranger, "deposit_cycles", idArg{r.target.ID()}))
}

func TestStatusAndLogsAreShownByTheirVisibility(t *testing.T) {
	r := newRig(t)
	s := r.target.Canister.Settings
	s.StatusVisibility = canister.Visibility{Kind: canister.AllowedViewers, Viewers: []principal.Principal{bob}}
	status := func(who principal.Principal) *state.ManagementCall {
		return r.byUser(who, "canister_status", idArg{r.target.ID()})
	}
	denied := denied(principal.Anonymous)
	r.admitted(status(bob))
	r.refusedAtTheDoor(status(principal.Anonymous), intercanister.CanisterStatusAccessDenied, denied)
	r.rejected(status(principal.Anonymous), intercanister.CanisterStatusAccessDenied, denied)
	s.StatusVisibility.Kind = canister.Public
	r.admitted(status(principal.Anonymous))

	logs := func(who principal.Principal) state.Answer {
		return r.facade.Query(r.byUser(who, "fetch_canister_logs", logsArg{Canister: r.target.ID()}))
	}
	r.is(logs(bob).Reject, intercanister.CanisterRejectedMessage, "Caller "+bob.String()+" is not allowed to access canister logs")
	r.read(logs(alice), new(logsResult))
	s.LogVisibility.Kind = canister.Public
	r.read(logs(bob), new(logsResult))
}

func TestARejectedCallGivesAllItsCyclesBack(t *testing.T) {
	r := newRig(t)
	other := r.add(2, alice)
	for _, m := range table() {
		c := r.byCanister(other, 77, m.name, argFor(m.name, nowhere))
		if a := r.run(c); a.Reject != nil && c.Attached != cycles.Of(77) {
			t.Errorf("%s kept cycles", m.name)
		}
	}
}

func TestRejectsDoNotRepeatAllTheCallerSent(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("é", 10_000)
	c := r.byUser(alice, long)
	_, _, effective := r.facade.Effective(long, nil)
	for _, reject := range []*intercanister.Reject{effective, r.facade.Admit(c), r.run(c).Reject, r.facade.Query(c).Reject} {
		if n := len(reject.Text); n > intercanister.MaxRejectTextBytes || n < intercanister.MaxRejectTextBytes-8 || !utf8.ValidString(reject.Text) {
			t.Errorf("%d bytes", n)
		}
	}
}
