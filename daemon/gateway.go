package daemon

import (
	"context"
	"net/http"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Gateway configures the HTTP gateway. The zero value serves *.localhost and verifies.
type Gateway struct {
	// Domains are the domains below which hosts name canisters, besides localhost.
	Domains []string
	// DomainsFile is a file of lines HOST:CANISTER; "" for none. It is reread when it changes.
	DomainsFile string
	// Names finds canisters of an instance by name, "" for the default instance; nil for none.
	Names func(instance, name string) (principal.Principal, bool)
	// Unverified passes on canisters' responses without checking that they are certified.
	Unverified bool
}

// newGateway makes the gateway over the daemon's instances.
func (d *Daemon) newGateway(config *Gateway) *gateway.Gateway {
	return gateway.New(networks{d}, gateway.Config{
		Domains: config.Domains, DomainsFile: config.DomainsFile, Names: config.Names, Unverified: config.Unverified,
		Inspector: func(host string) bool { return d.inspector != nil && d.inspector.At(host) },
		Control:   func() bool { return d.controlAddress == d.listener.Addr().String() }, Memory: d.memory.requests, Log: d.log,
	})
}

// networks gives the gateway the daemon's instances.
type networks struct{ daemon *Daemon }

// Network returns the instance with a name, "" for the default one.
func (n networks) Network(name string) gateway.Network {
	i, err := n.daemon.instances.Instance(name)
	if err != nil {
		return nil
	}
	return network{i}
}

// Networks returns all instances.
func (n networks) Networks() []gateway.Network {
	var all []gateway.Network
	for _, i := range n.daemon.instances.Instances() {
		all = append(all, network{i})
	}
	return all
}

// network gives the gateway an instance.
type network struct{ instance *instance.Instance }

// Name returns the instance's name.
func (n network) Name() string { return n.instance.Name() }

// Backend answers calls.
func (n network) Backend() api.Backend { return asyncBackend{n.instance.Backend()} }

// API returns the HTTP interface of the Internet Computer.
func (n network) API() http.Handler { return frontendOf(n.instance).handler }

// Topology returns the subnets in PocketIC's form.
func (n network) Topology() any { return pocketic.Topology(n.instance.Driver().View()) }

// Canisters returns up to most canisters, ordered by id.
func (n network) Canisters(ctx context.Context, most int) ([]gateway.Canister, error) {
	reports, err := driver.ReadValue(ctx, n.instance.Driver(), func(network *replica.Network) []introspect.CanisterReport {
		return network.Introspect().Reports(principal.Management, most)
	})
	return gateway.Describe(reports), err
}

// Canister returns one canister.
func (n network) Canister(ctx context.Context, id principal.Principal) (gateway.Canister, bool, error) {
	reports, err := driver.ReadValue(ctx, n.instance.Driver(), func(network *replica.Network) []introspect.CanisterReport {
		if report, ok := network.Introspect().Report(id); ok {
			return []introspect.CanisterReport{report}
		}
		return nil
	})
	if err != nil || len(reports) == 0 {
		return gateway.Canister{}, false, err
	}
	return gateway.Describe(reports)[0], true, nil
}

// Lineage returns the ids of the network of an instance, "" for the default one, and of the networks that it continues.
// The error is a refusal.
func (d *Daemon) Lineage(name string) (id string, ancestors []instance.Ancestor, err error) {
	i, err := d.instances.Instance(name)
	if err != nil {
		return "", nil, err
	}
	id, ancestors = i.Lineage()
	return id, ancestors, nil
}
