package instance

// OutcallMode selects the handling of the outcalls that canisters make.
type OutcallMode uint8

const (
	// AllowOutcalls makes the requests, https or http.
	AllowOutcalls OutcallMode = iota
	// HoldOutcalls keeps them for a client to answer; what is not answered within a
	// minute of the network's time is rejected.
	HoldOutcalls
	// DenyOutcalls rejects them at once.
	DenyOutcalls
	// StrictOutcalls makes the requests that mainnet makes: only https, otherwise as
	// ReplicatedOutcalls.
	StrictOutcalls
	// ReplicatedOutcalls makes the requests, https or http: those that all nodes of a subnet
	// make and that change nothing (GET and HEAD) once for each node.
	ReplicatedOutcalls

	// LastOutcalls is the last mode.
	LastOutcalls = ReplicatedOutcalls
)

var outcallModes = [...]string{"allow", "hold", "deny", "strict", "replicated"}

// String is the name on the command line.
func (o OutcallMode) String() string { return outcallModes[o] }

// byClients reports whether clients answer the outcalls; otherwise the host does, by itself.
func (o OutcallMode) byClients() bool { return o == HoldOutcalls }

// OutcallReach says which servers of this machine and its networks outcalls may reach. They
// may reach all other servers.
type OutcallReach struct {
	Local   bool     // all of them
	Targets []string // these: host:port, host, or a prefix of addresses such as 10.0.0.0/8
}

// IsZero reports whether they may reach none of them.
func (r OutcallReach) IsZero() bool { return !r.Local && len(r.Targets) == 0 }
