package canisterd

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/modulecache"
	"github.com/canisterd/canisterd/replica"
)

// Option is a property of a new network.
type Option func(*config)

// config is the specification of a new network.
type config struct {
	instance.Spec
	outcalls outcalls
	cache    *string // folder for compiled modules; nil: the user's
}

// SubnetKind is the kind of a subnet on mainnet. It determines the size of the subnet and its fees.
type SubnetKind = replica.SubnetKind

// Kinds of subnets.
const (
	Application         = replica.Application // 13 nodes, canisters pay
	System              = replica.System      // canisters do not pay
	NNS                 = replica.NNS         // the root subnet, with the canister ids of mainnet's
	II                  = replica.II
	SNS                 = replica.SNS
	Fiduciary           = replica.Fiduciary
	Bitcoin             = replica.Bitcoin
	VerifiedApplication = replica.VerifiedApplication
	CloudEngine         = replica.CloudEngine
)

// Subnets sets the subnets of the network, in this order. The default is a root subnet (NNS) and an application subnet,
// on which canisters are created.
func Subnets(kinds ...SubnetKind) Option {
	return func(c *config) {
		c.Subnets = nil
		for _, kind := range kinds {
			c.Subnets = append(c.Subnets, replica.SubnetConfig{Kind: kind})
		}
	}
}

// Seed sets the seed of the keys, the ids and the randomness of the network. By default all networks have the same
// seed; two networks with one seed and the same calls do the same.
func Seed(seed string) Option {
	return func(c *config) { c.Spec.Seed = seedOf(seed) }
}

func seedOf(text string) *[32]byte {
	seed := sha256.Sum256([]byte(text))
	return &seed
}

// StartAt sets the time at which the network begins. The default is 2021-05-06T19:17:10Z, or the present time with
// [WallClock].
func StartAt(at time.Time) Option {
	return func(c *config) { c.Start = uint64(at.UnixNano()) }
}

// WallClock lets the network run on its own, at the time of this computer: rounds run as soon as there is work, and
// timers fire when they are due. [Network.Advance] puts it ahead of the wall clock.
func WallClock() Option {
	return func(c *config) { c.Pacing = instance.Pacing{Mode: instance.Auto} }
}

// RateLimits limits how much memory canisters change and how often they are installed, as mainnet does (IC0209).
func RateLimits() Option {
	return func(c *config) { c.Spec.RateLimits = true }
}

// Outcalls makes the HTTP outcalls of canisters with a transport, one request for all nodes of a subnet: [Handler] for
// an http.Handler of the test, http.DefaultTransport for the real servers. By default outcalls are rejected.
func Outcalls(transport http.RoundTripper) Option {
	return func(c *config) { c.outcalls.transport = transport }
}

// Cache keeps compiled modules in a folder, so that the next process need not compile them again: a module of some
// hundred kilobytes takes most of a second. By default it is the folder of the command, canisterd/modules in
// [os.UserCacheDir], if that can be written. With "" no file is written: a module is compiled once in each process.
func Cache(folder string) Option {
	return func(c *config) { c.cache = &folder }
}

// cacheFolder returns the folder for compiled modules, "" for none.
func (c *config) cacheFolder() (string, error) {
	switch {
	case c.cache == nil:
		return modulecache.Default(slog.New(slog.DiscardHandler)), nil
	case *c.cache == "":
		return "", nil
	}
	if err := modulecache.Check(*c.cache); err != nil {
		return "", fmt.Errorf("the folder %s cannot keep compiled modules: %w", *c.cache, err)
	}
	return *c.cache, nil
}

// configOf returns the properties that options set.
func configOf(options []Option) *config {
	c := &config{Spec: instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}, Seed: seedOf("canisterd")}}
	for _, option := range options {
		option(c)
	}
	return c
}
