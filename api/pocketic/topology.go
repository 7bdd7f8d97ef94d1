package pocketic

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// topology describes an instance.
type topology struct {
	Subnets map[string]shownSubnet `json:"subnet_configs"`
	Default rawCanister            `json:"default_effective_canister_id"`
}

// shownSubnet is one subnet, with the fields that all versions of the clients read.
type shownSubnet struct {
	Kind         string         `json:"subnet_kind"`
	Seed         []int          `json:"subnet_seed"`
	Instructions string         `json:"instruction_config"`
	Ranges       []shownRange   `json:"canister_ranges"`
	Nodes        []rawNode      `json:"node_ids"`
	Size         int            `json:"size"`
	Admins       []rawPrincipal `json:"subnet_admins"`
	Cost         string         `json:"cost_schedule"`
}

type shownRange struct {
	Start rawCanister `json:"start"`
	End   rawCanister `json:"end"`
}

// kindNames maps the kinds to PocketIC's names.
var kindNames = map[replica.SubnetKind]string{
	replica.Application: "Application", replica.NNS: "NNS", replica.II: "II", replica.SNS: "SNS", replica.Fiduciary: "Fiduciary",
	replica.Bitcoin: "Bitcoin", replica.TestKeys: "TestThresholdKeys", replica.System: "System",
	replica.VerifiedApplication: "VerifiedApplication", replica.CloudEngine: "CloudEngine",
}

// Topology describes the subnets of an instance of another interface, for JSON.
func Topology(view *replica.View) any { return topologyOf(view) }

// shown describes the subnets of the instance.
func (e *entry) shown() topology { return topologyOf(e.instance.Driver().View()) }

// topologyOf describes the subnets of a view.
func topologyOf(view *replica.View) topology {
	t := topology{Subnets: make(map[string]shownSubnet), Default: canisterOf(view.DefaultCanister())}
	for i := range view.Subnets {
		subnet := &view.Subnets[i]
		shown := shownSubnet{Kind: kindNames[subnet.Kind], Instructions: instructionsOf(subnet), Cost: costNormal, Size: len(subnet.Nodes)}
		if subnet.Free {
			shown.Cost = costFree
		}
		for _, admin := range subnet.Admins {
			shown.Admins = append(shown.Admins, principalOf(admin))
		}
		for _, node := range subnet.Nodes {
			shown.Nodes = append(shown.Nodes, rawNode{node.Principal().Bytes()})
		}
		shown.showRanges(subnet.Ranges)
		t.Subnets[subnet.ID.String()] = shown
	}
	return t
}

// instructionsOf returns the name of a subnet's limits of instructions.
func instructionsOf(subnet *replica.SubnetView) string {
	if subnet.Benchmarking {
		return benchmarking
	}
	return production
}

// showRanges fills in the canister ranges and what depends on them.
func (s *shownSubnet) showRanges(ranges certify.Ranges) {
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		s.Ranges = append(s.Ranges, shownRange{canisterOf(r.Start), canisterOf(r.End)})
		texts[i] = fmt.Sprintf("CanisterIdRange { start: CanisterId(%s), end: CanisterId(%s) }", r.Start, r.End)
	}
	seed := sha256.Sum256([]byte("[" + strings.Join(texts, ", ") + "]"))
	s.Seed = make([]int, len(seed))
	for i, b := range seed {
		s.Seed[i] = int(b)
	}
}

// getTopology serves GET /instances/{id}/read/topology and /_/topology. It does not wait for operations.
func (s *Server) getTopology(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	respond(w, http.StatusOK, e.shown())
}

// getSubnet serves POST read/get_subnet: the subnet of a canister, null if the canister does not exist.
func (s *Server) getSubnet(ctx context.Context, e *entry, body []byte) (any, error) {
	id, err := subject(body)
	if err != nil {
		return nil, err
	}
	report, err := e.report(ctx, id)
	if err != nil {
		return nil, nil //nolint:nilerr // the canister does not exist
	}
	return subnetOf(report.Subnet), nil
}

// getPublicKey serves POST read/pub_key: the key of a subnet in DER form.
func (s *Server) getPublicKey(_ context.Context, e *entry, body []byte) (any, error) {
	subnet, err := e.subnetOf(body)
	if err != nil {
		return nil, err
	}
	key := make([]int, len(subnet.PublicKey))
	for i, b := range subnet.PublicKey {
		key[i] = int(b)
	}
	return key, nil
}

// deleteSubnet serves POST update/delete_subnet. Subnets of the kinds of which an instance has at most one stay, as in
// PocketIC.
func (s *Server) deleteSubnet(ctx context.Context, e *entry, body []byte) (any, error) {
	subnet, err := e.subnetOf(body)
	if err != nil {
		return nil, err
	}
	switch subnet.Kind {
	case replica.Application, replica.VerifiedApplication, replica.System, replica.CloudEngine:
	default:
		return nil, failed("The subnet %s is of kind %s: only application, verified application and system subnets and cloud engines can be deleted", subnet.ID, kindNames[subnet.Kind])
	}
	if _, err := e.apply(ctx, replica.DeleteSubnet{Subnet: subnet.ID}); err != nil {
		return nil, failed("The subnet cannot be deleted: %v", err)
	}
	return nil, e.subnetsChanged(ctx)
}

// subnetOf returns the subnet that a body names.
func (e *entry) subnetOf(body []byte) (*replica.SubnetView, error) {
	var in rawSubnet
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	id, err := in.read()
	if err != nil {
		return nil, err
	}
	return e.subnet(id)
}

// subnet returns a subnet of the instance.
func (e *entry) subnet(id principal.Principal) (*replica.SubnetView, error) {
	subnets := e.instance.Driver().View().Subnets
	at := slices.IndexFunc(subnets, func(s replica.SubnetView) bool { return s.ID == id })
	if at < 0 {
		return nil, subnetNotFound(id)
	}
	return &subnets[at], nil
}
