package instance

import (
	"encoding/json"
	"slices"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/internal/trace/values"
	"github.com/canisterd/canisterd/replica"
)

// Traces says which call trees the result of a replay has, and how they are written.
type Traces struct {
	Newest int // those of so many user messages, the newest; 0: none
	// Names returns the names of canisters and users in a network that continues others, the oldest first; nil: no names.
	Names     func(network string, ancestors []Ancestor) func(principal.Principal) string
	Generated bool // messages of methods that compilers added are not folded
}

// names returns the names in the network of a state directory.
func (t Traces) names(j *journal.Journal) trace.Names {
	value, err := j.Get(keptName)
	var k kept
	if t.Names == nil || err != nil || json.Unmarshal(value, &k) != nil {
		return nil
	}
	return t.Names(k.NetworkID, k.Ancestors)
}

// Texts returns the trees, the oldest first. network has the interfaces; nil: the replay did not begin.
func (t Traces) Texts(events []replica.Event, network *replica.Network, names trace.Names) (texts []string) {
	if network == nil {
		return nil
	}
	reader := &values.Reader{Names: names, Interface: func(id principal.Principal) *did.File { return interfaceIn(network, id) }}
	for at := len(events) - 1; at >= 0 && len(texts) < t.Newest; at-- {
		e := &events[at]
		if e.Kind != replica.IngressReceived {
			continue
		}
		tree := trace.Build(trace.Root{Request: e.Request}, events)
		if reader.Describe(tree); !t.Generated {
			tree.Fold()
		}
		texts = append(texts, trace.Text(tree, names))
	}
	slices.Reverse(texts)
	return texts
}

// interfaceIn returns the interface in the module of a canister, or that of the management canister; nil if there is
// none, or it cannot be read.
func interfaceIn(network *replica.Network, id principal.Principal) *did.File {
	text, args := replica.ManagementInterface(), ""
	if id != principal.Management {
		module := network.View().Module(id)
		if module == nil {
			return nil
		}
		service, _ := module.Section(did.InterfaceSection)
		init, _ := module.Section(did.InitSection)
		text, args = string(service.Content), string(init.Content)
	}
	file, err := did.ParseWithInit(text, args)
	if args == "" {
		file, err = did.Parse(text)
	}
	if err != nil {
		return nil
	}
	return file
}
