package instance

// OutcallMode selects the handling of the outcalls that canisters make.
type OutcallMode uint8

const (
	// AllowOutcalls makes the requests, https or http.
	AllowOutcalls OutcallMode = iota
	// HoldOutcalls keeps them for a client to answer; after a minute of the network's time without an answer they are
	// rejected.
	HoldOutcalls
	// DenyOutcalls rejects them at once.
	DenyOutcalls
	// StrictOutcalls makes the requests that mainnet makes: only https, otherwise like ReplicatedOutcalls.
	StrictOutcalls
	// ReplicatedOutcalls makes the requests, https or http. Requests that all drivers of a subnet make and that change
	// nothing (GET and HEAD) are made once for each node.
	ReplicatedOutcalls

	// LastOutcalls is the last mode.
	LastOutcalls = ReplicatedOutcalls
)

var outcallModes = [...]string{"allow", "hold", "deny", "strict", "replicated"}

// String returns the name on the command line.
func (o OutcallMode) String() string { return outcallModes[o] }

// byClients reports whether clients answer the outcalls; otherwise the host answers them.
func (o OutcallMode) byClients() bool { return o == HoldOutcalls }

// OutcallReach says which servers of this machine and its networks outcalls may reach. All other servers are allowed.
type OutcallReach struct {
	Local   bool     // all of them
	Targets []string // these: host:port, host, or a prefix of addresses such as 10.0.0.0/8
}

// IsZero reports whether they may reach none of them.
func (r OutcallReach) IsZero() bool { return !r.Local && len(r.Targets) == 0 }
