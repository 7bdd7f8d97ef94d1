package pocketic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// instanceConfig is a client's configuration of a new instance.
type instanceConfig struct {
	Subnets   subnetSet      `json:"subnet_config_set"`
	Gateway   *gatewayConfig `json:"http_gateway_config"`
	StateDir  *string        `json:"state_dir"`
	Config    icpConfig      `json:"icp_config"`
	LogLevel  *string        `json:"log_level"`
	Bitcoind  []string       `json:"bitcoind_addr"`
	Dogecoind []string       `json:"dogecoind_addr"`
	Features  map[string]any `json:"icp_features"`
	Initial   *initialTime   `json:"initial_time"`
	Mainnet   *bool          `json:"mainnet_nns_subnet_id"`
	Unchecked *bool          `json:"disable_ingress_validation"`
	ForkOf    forkSource     `json:"canisterd_fork_of"`
}

// icpConfig are flags: null, Disabled or Enabled.
type icpConfig struct {
	RateLimiting *string `json:"canister_execution_rate_limiting"`
}

// initialTime is the time of an instance at its start.
type initialTime struct {
	Timestamp    *rawTime       `json:"Timestamp"`
	AutoProgress map[string]any `json:"AutoProgress"`
}

// subnetSet holds the subnets by kind.
type subnetSet struct {
	NNS                 *subnetSpec  `json:"nns"`
	SNS                 *subnetSpec  `json:"sns"`
	II                  *subnetSpec  `json:"ii"`
	Fiduciary           *subnetSpec  `json:"fiduciary"`
	Bitcoin             *subnetSpec  `json:"bitcoin"`
	TestKeys            *subnetSpec  `json:"test_threshold_keys"`
	System              []subnetSpec `json:"system"`
	Application         []subnetSpec `json:"application"`
	VerifiedApplication []subnetSpec `json:"verified_application"`
	CloudEngine         []subnetSpec `json:"cloud_engine"`
}

// subnetSpec is one subnet.
type subnetSpec struct {
	State        stateSource    `json:"state_config"`
	Instructions string         `json:"instruction_config"`
	Cost         string         `json:"cost_schedule"`
	Admins       []rawPrincipal `json:"subnet_admins"` // nil: not given, which an empty list is not
}

// stateSource is the source of the state of a subnet: "New", or a variant with a value.
type stateSource struct {
	kind, path string
}

// UnmarshalJSON reads the two forms.
func (s *stateSource) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.kind) == nil {
		return nil
	}
	var variant map[string]any
	if err := json.Unmarshal(text, &variant); err != nil {
		return err
	}
	for kind, value := range variant {
		s.kind, s.path = kind, fmt.Sprint(value)
	}
	return nil
}

const (
	benchmarking = "Benchmarking"
	production   = "Production"
	costNormal   = "Normal"
	costFree     = "Free"
)

// plan is a checked configuration.
type plan struct {
	Spec
	live    bool
	gateway *gatewayConfig // nil: none
	fork    *Fork          // nil: not a fork
	folder  string         // state_dir; "": none
}

// plan checks a configuration.
func (c *instanceConfig) plan() (*plan, error) {
	p := &plan{gateway: c.Gateway}
	if c.StateDir != nil {
		p.folder = *c.StateDir
	}
	if err := c.supported(); err != nil {
		return nil, err
	}
	if err := c.featured(p); err != nil {
		return nil, err
	}
	for _, kind := range c.Subnets.byKind() {
		for i := range kind.specs {
			if err := p.add(kind.kind, &kind.specs[i]); err != nil {
				return nil, err
			}
		}
	}
	if len(p.Subnets) == 0 && !hasState(p.folder) {
		return nil, failed("Subnet config failed to validate: %s", quoted("ExtendedSubnetConfigSet must contain at least one subnet"))
	}
	if c.Mainnet != nil && *c.Mainnet && len(p.Subnets) > 0 && p.Subnets[0].Kind == replica.NNS {
		p.Subnets[0].ID = principal.MustParse(mainnetNNS)
	}
	p.RateLimits = c.Config.RateLimiting != nil && *c.Config.RateLimiting == "Enabled"
	return p, p.begin(c.Initial)
}

// mainnetNNS is the id of the root subnet of mainnet.
const mainnetNNS = "tdb26-jop6k-aogll-7ltgs-eruif-6kk7m-qpktf-gdiqx-mxtrf-vb5e6-eqe"

// begin sets the time before the first round: each subnet takes a nanosecond to make, and the last of these is the
// first round.
func (p *plan) begin(initial *initialTime) error {
	start := p.beginning()
	if initial != nil && initial.Timestamp != nil {
		start = initial.Timestamp.Nanos
		if start < p.beginning() {
			return failed("The initial timestamp (unix timestamp in nanoseconds) must be no earlier than %d (provided %d).", p.beginning(), start)
		}
		if start > latestTime {
			return tooLate(start)
		}
	}
	p.live = initial != nil && initial.AutoProgress != nil
	p.Start = start + uint64(max(len(p.Subnets), 1)) - 1
	return nil
}

// logLevels are the levels that a configuration may name.
var logLevels = []string{"critical", "crit", "error", "erro", "err", "warning", "warn", "info", "debug", "debg", "trace", "trce", "off"}

// supported refuses a configuration that canisterd does not support.
func (c *instanceConfig) supported() error {
	if c.LogLevel != nil && !slices.Contains(logLevels, strings.ToLower(*c.LogLevel)) {
		return failed("Failed to parse log level")
	}
	if len(c.Bitcoind)+len(c.Dogecoind) > 0 {
		return failed("canisterd has no Bitcoin adapter: leave bitcoind_addr and dogecoind_addr out")
	}
	return nil
}

// kindOfSpecs holds the subnets of one kind.
type kindOfSpecs struct {
	kind  replica.SubnetKind
	specs []subnetSpec
}

// byKind returns the subnets in the order in which they are made, which decides their canister ids.
func (s *subnetSet) byKind() []kindOfSpecs {
	one := func(spec *subnetSpec) []subnetSpec {
		if spec == nil {
			return nil
		}
		return []subnetSpec{*spec}
	}
	return []kindOfSpecs{
		{replica.NNS, one(s.NNS)},
		{replica.SNS, one(s.SNS)},
		{replica.II, one(s.II)},
		{replica.Fiduciary, one(s.Fiduciary)},
		{replica.Bitcoin, one(s.Bitcoin)},
		{replica.TestKeys, one(s.TestKeys)},
		{replica.System, s.System},
		{replica.Application, s.Application},
		{replica.VerifiedApplication, s.VerifiedApplication},
		{replica.CloudEngine, s.CloudEngine},
	}
}

// add adds a subnet.
func (p *plan) add(kind replica.SubnetKind, spec *subnetSpec) error {
	config := replica.SubnetConfig{Kind: kind, Free: spec.Cost == costFree}
	engine := kind == replica.CloudEngine
	switch configurable := engine || kind == replica.Application; {
	case !configurable && spec.Admins != nil:
		return failed("Subnet admins can only be specified for subnet of kind `Application` or `CloudEngine`")
	case !configurable && config.Free:
		return failed("Non-default cost schedule can only be specified for subnet of kind `Application` or `CloudEngine`")
	case !config.Free && spec.Admins != nil:
		return failed("Subnet admins can only be specified for subnet with cost schedule of kind `Free`")
	case engine && !config.Free:
		return failed("Every subnet of kind `CloudEngine` must have cost schedule of kind `Free`")
	}
	for _, admin := range spec.Admins {
		id, err := readID(admin.PrincipalID, "subnet admin")
		if err != nil {
			return err
		}
		config.Admins = append(config.Admins, id)
	}
	if err := spec.State.check(); err != nil {
		return err
	}
	config.Benchmarking = spec.Instructions == benchmarking
	p.Subnets = append(p.Subnets, config)
	return nil
}

// check refuses a subnet state that is not available.
func (s *stateSource) check() error {
	switch s.kind {
	case "", "New":
		return nil
	case "FromBlobStore":
		// The text of PocketIC, which refuses this source as well.
		return failed("SubnetStateConfig::FromBlobStore is not yet implemented")
	}
	info, err := os.Stat(s.path)
	if err != nil || !info.IsDir() {
		return failed("The path %s is not a (subnet state) directory: it must be a folder that can be read", s.path)
	}
	return &failure{http.StatusBadRequest, "canisterd cannot read the checkpoints of the replica: begin with a new state, or import an instance that canisterd has exported"}
}
