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
	name           string
	argument       shape // nil: none; set by withHandler
	result         shape // nil: none
	users          ingress
	authority      authority // of users' messages; run checks again, in the round
	about          subject
	sameSubnetOnly bool // the calling canister must be on this subnet or on the root subnet
	versioned      bool // has sender_canister_version

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
	run   func(*state.ManagementCall) state.Answer // nil: queries only
	query func(*state.ManagementCall) state.Answer // nil: no query method
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
		withHandler(method{name: "create_canister", result: of[idArg](), users: onlyAdmins, versioned: true, fee: state.PaysNothing, bySubnet: true}, readCreateCanister, createCanister),
		withHandler(method{
			name: "provisional_create_canister_with_cycles", result: of[idArg](), authority: anyone, versioned: true,
			fee: state.PaysNothing, givesCycles: true, bySubnet: true, anyHost: true,
		}, read, provisionalCreate),
		withHandler(method{name: "delete_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, deleteCanister),

		// Settings and cycles.
		withHandler(method{name: "update_settings", authority: controllers, about: canisterID, versioned: true, fee: state.PaysAfter}, read, updateSettings),
		withHandler(method{name: "deposit_cycles", users: notByIngress, about: canisterID}, read, depositCycles),
		withHandler(method{name: "provisional_top_up_canister", authority: anyone, about: canisterID, fee: state.PaysNothing, givesCycles: true}, read, provisionalTopUp),

		// Code.
		withHandler(method{name: "install_code", authority: controllers, about: canisterID, versioned: true, module: wasmModule}, read, installCode),
		withHandler(method{name: "install_chunked_code", authority: controllers, about: targetCanister, versioned: true}, read, installChunkedCode),
		withHandler(method{name: "uninstall_code", authority: controllersAndAdmins, about: canisterID, versioned: true}, read, uninstallCode),
		withHandler(method{name: "upload_chunk", result: of[chunkHash](), authority: controllers, about: canisterID}, read, uploadChunk),
		withHandler(method{name: "clear_chunk_store", authority: controllers, about: canisterID}, read, clearChunkStore),
		withHandler(method{name: "stored_chunks", result: of[[]chunkHash](), authority: controllers, about: canisterID}, read, storedChunks),

		// Starting and stopping.
		withHandler(method{name: "start_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, startCanister),
		withHandler(method{name: "stop_canister", authority: controllersAndAdmins, about: canisterID, unhosted: "deposit_cycles"}, read, stopCanister),

		// Information about a canister.
		alsoQuery(withHandler(method{name: "canister_status", result: of[statusResult](), authority: statusViewers, about: canisterID, unhosted: "deposit_cycles"}, read, canisterStatus)),
		alsoQuery(withHandler(method{name: "canister_metrics", result: of[metricsResult](), authority: controllersAndAdmins, about: canisterID}, read, canisterMetrics)),
		alsoQuery(withHandler(method{name: "canister_info", result: of[infoResult](), users: onlyCanisters, about: canisterID}, read, canisterInfo)),
		withHandler(method{name: "canister_metadata", result: of[metadataResult](), users: onlyCanisters, about: canisterID}, read, canisterMetadata),
		alsoQueryWith(withHandler(method{name: "fetch_canister_logs", result: of[logsResult](), users: notByIngress, about: canisterID, sameSubnetOnly: true}, read, sendCanisterLogs), fetchCanisterLogs),

		// Randomness.
		withHandler(method{name: "raw_rand", result: of[[]byte](), users: notByIngress, sameSubnetOnly: true, postponed: drawRand}, readNothing, rawRand),

		// Information about a subnet.
		queryOnly(withHandler(method{name: "list_canisters", result: of[canistersResult](), users: notByIngress, authority: anyone, bySubnet: true}, readNothing, listCanisters)),
	}
	methods = append(methods, outcallMethods()...)
	methods = append(methods, snapshotMethods()...)
	methods = append(methods, subnetMethods()...)
	methods = append(methods, thresholdMethods()...)
	return append(methods, bitcoinMethods()...)
}

// withHandler gives a method a handler for its decoded argument.
func withHandler[A any](m method, read func([]byte) (*A, error), run func(*state.ManagementCall, *A) state.Answer) method {
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
	m.run = func(c *state.ManagementCall) state.Answer {
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

// alsoQuery makes a method a query method as well.
func alsoQuery(m method) method {
	m.query = m.run
	return m
}

// alsoQueryWith gives a method a different handler for queries.
func alsoQueryWith[A any](m method, query func(*state.ManagementCall, *A) state.Answer) method {
	m.query = withHandler(method{}, read, query).run
	return m
}

// queryOnly makes a method a query method only.
func queryOnly(m method) method {
	m.query, m.run = m.run, nil
	return m
}

// bounded is implemented by arguments with lists of bounded length.
type bounded interface{ bounds() error }

// acceptable is implemented by arguments that may be readable but are not signed.
type acceptable interface{ acceptable() bool }

// redirected is implemented by arguments that determine the destination of a canister's call.
type redirected interface{ destination() principal.Principal }

// read decodes an argument. Its blobs are parts of the message, which is read-only.
func read[A any](arg []byte) (*A, error) {
	a := new(A)
	if err := candid.UnmarshalInPlace(arg, a); err != nil {
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
