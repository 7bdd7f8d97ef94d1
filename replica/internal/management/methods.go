package management

import (
	"errors"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// method describes one method (interface specification, "The IC management canister"): its permitted callers by kind of
// message, its canister, and its handler. Every special rule of a method is a field here; no other package compares the
// names of methods.
type method struct {
	name      string
	argument  shape // nil: none; set by on
	result    shape // nil: none
	users     ingress
	authority authority // of users' messages; run checks again, in the round
	about     subject
	near      bool // the calling canister must be on this subnet or on the root subnet
	versioned bool // has sender_canister_version

	fee         state.Payment // for users' messages; after: up to LateFeeBytes of argument
	givesCycles bool          // creates cycles, for any caller
	bySubnet    bool          // users may send it to the id of a subnet
	anyHost     bool          // users may send it to no canister's id at all
	// unhosted is the name in the text for a canister that no subnet hosts; "": its own.
	unhosted string
	// module returns the whole module in an argument; nil: there is none.
	module func(arg []byte) ([]byte, bool)

	// redirect returns where calls of canisters go instead; nil: nowhere else.
	redirect func(arg []byte) principal.Principal

	check func(arg []byte) error
	run   func(*state.Command) state.Answer // nil: queries only
	query func(*state.Command) state.Answer // nil: no query method
	// postponed answers in the next round; nil: nothing is postponed.
	postponed func(*state.State) state.Answer

	key     func(arg []byte) (state.KeyID, error)                    // nil: no threshold key
	sign    func(*state.State, *state.PendingSignature) state.Answer // in the next round; nil: signs nothing
	accepts func(arg []byte) bool                                    // of readable arguments; nil: all are signed
}

// ingress says whether users may call a method, and if not, which text they receive.
type ingress uint8

const (
	mayCall       ingress = iota
	notByIngress          // "can not be called via ingress messages"
	onlyCanisters         // "Only canisters can call"
	onlyAdmins            // of the subnet, if it can have admins; else as onlyCanisters
)

// subject says which canister a call is about.
type subject uint8

const (
	noSubject subject = iota
	canisterID
	targetCanister
)

var errNoSubject = errors.New("the method is about no canister")

// read returns the canister that an argument is about.
func (s subject) read(arg []byte) (principal.Principal, error) {
	switch s {
	case canisterID:
		var a idArg
		err := candid.Unmarshal(arg, &a)
		return a.Canister, err
	case targetCanister:
		var a struct {
			Target principal.Principal `ic:"target_canister"`
		}
		err := candid.Unmarshal(arg, &a)
		return a.Target, err
	}
	return principal.Principal{}, errNoSubject
}

// table returns the list of all methods.
func table() []method {
	methods := []method{
		// Creation and deletion of canisters.
		on(method{name: "create_canister", result: of[idArg](), users: onlyAdmins, versioned: true, fee: state.PaysNothing, bySubnet: true}, readCreateCanister, createCanister),
		on(method{
			name: "provisional_create_canister_with_cycles", result: of[idArg](), authority: anyone, versioned: true,
			fee: state.PaysNothing, givesCycles: true, bySubnet: true, anyHost: true,
		}, read, provisionalCreate),
		on(method{name: "delete_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, deleteCanister),

		// Settings and cycles.
		on(method{name: "update_settings", authority: controllers, about: canisterID, versioned: true, fee: state.PaysAfter}, read, updateSettings),
		on(method{name: "deposit_cycles", users: notByIngress, about: canisterID}, read, depositCycles),
		on(method{name: "provisional_top_up_canister", authority: anyone, about: canisterID, fee: state.PaysNothing, givesCycles: true}, read, provisionalTopUp),

		// Code.
		on(method{name: "install_code", authority: controllers, about: canisterID, versioned: true, module: wasmModule}, read, installCode),
		on(method{name: "install_chunked_code", authority: controllers, about: targetCanister, versioned: true}, read, installChunkedCode),
		on(method{name: "uninstall_code", authority: controllersAndAdmins, about: canisterID, versioned: true}, read, uninstallCode),
		on(method{name: "upload_chunk", result: of[chunkHash](), authority: controllers, about: canisterID}, read, uploadChunk),
		on(method{name: "clear_chunk_store", authority: controllers, about: canisterID}, read, clearChunkStore),
		on(method{name: "stored_chunks", result: of[[]chunkHash](), authority: controllers, about: canisterID}, read, storedChunks),

		// Starting and stopping.
		on(method{name: "start_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, startCanister),
		on(method{name: "stop_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, stopCanister),

		// Information about a canister.
		asked(on(method{name: "canister_status", result: of[statusResult](), authority: statusViewers, about: canisterID, unhosted: "deposit_cycles"}, read, canisterStatus)),
		asked(on(method{name: "canister_metrics", result: of[metricsResult](), authority: controllersAndAdmins, about: canisterID}, read, canisterMetrics)),
		asked(on(method{name: "canister_info", result: of[infoResult](), users: onlyCanisters, about: canisterID}, read, canisterInfo)),
		on(method{name: "canister_metadata", result: of[metadataResult](), users: onlyCanisters, about: canisterID}, read, canisterMetadata),
		askedFor(on(method{name: "fetch_canister_logs", result: of[logsResult](), users: notByIngress, about: canisterID, near: true}, read, sendCanisterLogs), fetchCanisterLogs),

		// Randomness.
		on(method{name: "raw_rand", result: of[[]byte](), users: notByIngress, near: true, postponed: drawRand}, readNothing, rawRand),

		// Information about a subnet.
		onlyAsked(on(method{name: "list_canisters", result: of[canistersResult](), users: notByIngress, authority: anyone, bySubnet: true}, readNothing, listCanisters)),
	}
	methods = append(methods, outcallMethods()...)
	methods = append(methods, snapshotMethods()...)
	methods = append(methods, subnetMethods()...)
	methods = append(methods, thresholdMethods()...)
	return append(methods, bitcoinMethods()...)
}

// on gives a method a handler for its decoded argument.
func on[A any](m method, read func([]byte) (*A, error), run func(*state.Command, *A) state.Answer) method {
	if _, none := any(new(A)).(*nothing); !none {
		m.argument = of[A]()
	}
	m.check = func(arg []byte) error {
		_, err := read(arg)
		return err
	}
	if _, ok := any(new(A)).(redirected); ok {
		m.redirect = func(arg []byte) principal.Principal {
			a, err := read(arg)
			if err != nil {
				return principal.Principal{} // run rejects it
			}
			return any(a).(redirected).destination()
		}
	}
	m.run = func(c *state.Command) state.Answer {
		a, err := read(c.Arg)
		if err != nil {
			return state.Fail(rejectUndecodable(err))
		}
		return run(c, a)
	}
	return m
}

// onlyQueriedByUsers reports whether users can reach a method only by a query: the interface then declares that,
// because clients rely on it. Canisters may call the method nevertheless.
func (m *method) onlyQueriedByUsers() bool { return m.query != nil && m.users != mayCall }

// asked makes a method a query method as well.
func asked(m method) method {
	m.query = m.run
	return m
}

// askedFor gives a method a different handler for queries.
func askedFor[A any](m method, query func(*state.Command, *A) state.Answer) method {
	m.query = on(method{}, read, query).run
	return m
}

// onlyAsked makes a method a query method only.
func onlyAsked(m method) method {
	m.query, m.run = m.run, nil
	return m
}

// bounded is implemented by arguments with lists of bounded length.
type bounded interface{ bounds() error }

// acceptable is implemented by arguments that may be readable but are not signed.
type acceptable interface{ acceptable() bool }

// redirected is implemented by arguments that determine the destination of a canister's call.
type redirected interface{ destination() principal.Principal }

// read decodes an argument.
func read[A any](arg []byte) (*A, error) {
	a := new(A)
	if err := candid.Unmarshal(arg, a); err != nil {
		return nil, err
	}
	if b, ok := any(a).(bounded); ok {
		return a, b.bounds()
	}
	return a, nil
}

// nothing is the argument of a method without arguments.
type nothing struct{}

func readNothing(arg []byte) (*nothing, error) {
	return new(nothing), candid.Unmarshal(arg)
}

// reply answers with values.
func reply(values ...any) state.Answer {
	raw, err := candid.Marshal(values...)
	if err != nil {
		panic("management: a reply that cannot be written: " + err.Error())
	}
	return state.Reply(raw)
}
