package daemon

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/daemon/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// DefaultListen is where the Internet Computer's own tools expect a local
// network.
const DefaultListen = "127.0.0.1:4943"

// Config says what to start. Its zero value is a root subnet and an application
// subnet on DefaultListen that forget everything when they are closed.
type Config struct {
	// Listen is the address of the HTTP interface, host:port; port 0 takes any
	// free one.
	Listen string
	// Control says where the control API is served and for whom.
	Control Control
	// StateDir is the state directory of the network: everything survives there, and a network that is there goes on.
	// Empty: nothing survives the daemon.
	StateDir string
	// CheckpointBytes is after how many bytes of records a checkpoint is made; 0: 64 MiB.
	CheckpointBytes int64
	// Retention is how much of its history a kept instance has. The zero value is no history.
	Retention Retention
	// CacheDir keeps compiled modules from one start to the next; empty for a
	// folder of the user's cache, or without a usable home a temporary one of this user alone.
	CacheDir string
	// CompileWorker is a program with arguments that calls CompileWorker on the folder in its
	// last argument. It compiles the modules that take long; none to compile them in
	// this process.
	CompileWorker []string
	// Subnets are the network's subnets; none for a root subnet with the id of
	// mainnet's and one application subnet.
	Subnets []replica.SubnetConfig
	// Admins administer all application subnets and cloud engines, on which nothing
	// costs anything then (interface specification, "Subnet admins"). Subnets can also
	// have admins of their own (replica.SubnetConfig).
	Admins []principal.Principal
	// SystemCanisters are installed in the first instance: the registry, the ICP ledger, the cycles minting canister and the
	// cycles ledger, at their mainnet ids. Subnets that they need are added.
	SystemCanisters []systemcanisters.Name
	// SystemModules is a folder with published modules of system canisters, which are installed instead of canisterd's own
	// (systemcanisters.Modules); empty for none.
	SystemModules string
	// Seed is what keys, ids and randomness come from, up to 32 bytes: with the same seed
	// networks are the same from start to start, the first and, made in the same order, those
	// that are made without a seed of their own. None: a seed is drawn. Networks of different
	// seeds differ in root key, subnet ids and canister ids, so that an agent that reaches
	// another one by mistake is refused.
	Seed []byte
	// RateLimits limits how much memory canisters change and how often they are installed, as
	// mainnet does (IC0209).
	RateLimits bool
	// Pacing says how the network's time moves.
	Pacing Pacing
	// Interval is the time between two rounds where Pacing is Interval; 0 for a second.
	Interval time.Duration
	// KeptInstances is how many instances the daemon keeps on disk at most; 0: 256.
	KeptInstances int
	// Instances is how many instances the daemon has at most; 0: MaxInstances.
	Instances int
	// Outcalls configures canisters' HTTP outcalls.
	Outcalls Outcalls
	// OutcallsLocal lets outcalls reach this machine and its networks: loopback, link-local
	// and private addresses.
	OutcallsLocal bool
	// OutcallTargets are servers there that they may reach without OutcallsLocal: host:port,
	// host, or a prefix of addresses such as 10.0.0.0/8.
	OutcallTargets []string
	// Gateway configures what browsers see of canisters.
	Gateway Gateway
	// MemoryLimit is how many bytes of memory the process uses at most, besides the heaps and stable
	// memories of canisters: above it, requests are refused. 0: half of the memory of the machine or
	// control group; at least MinMemoryLimit.
	MemoryLimit int64
	// PocketIC serves the REST interface of PocketIC's server. It replaces the HTTP interface of a first instance:
	// clients make their own instances.
	PocketIC bool
	// PocketICMajor is the major version of the clients of that interface: older ones do not know all error codes. 0: the newest.
	PocketICMajor int
	// Diagnostics gets lines about calls that were not taken over that interface, and what
	// canisters print; nil for nothing.
	Diagnostics io.Writer
	// Spans says where the daemon sends spans of messages and calls; the zero value sends none.
	Spans Spans
	// Log gets what the daemon has to say; nil for nothing.
	Log *slog.Logger

	wall    func() time.Time // the wall clock; nil for time.Now
	workers int              // as instance.Config.Workers
}

// Pacing is how the wall clock drives a network.
type Pacing = instance.PacingMode

const (
	// Auto runs a round as soon as there is work, at the time of the wall clock:
	// an update is answered at once, timers fire when they are due.
	Auto = instance.Auto
	// Manual moves neither time nor rounds by itself; clients of the control API do,
	// or who embeds the daemon (Daemon.Node).
	Manual = instance.Manual
	// Still runs a round as soon as there is work, and leaves the time to clients.
	Still = instance.Still
	// Interval runs a round every Config.Interval, at the time of the wall clock.
	Interval = instance.Interval
)

// withDefaults is the configuration with every field decided.
func (c Config) withDefaults() (Config, error) {
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if len(c.Admins) > 0 {
		if len(c.Subnets) == 0 {
			c.Subnets = instance.DefaultSubnets()
		}
		var err error
		if c.Subnets, err = administered(c.Subnets, c.Admins); err != nil {
			return c, err
		}
	}
	pacing := instance.Pacing{Mode: c.Pacing, Interval: cmp.Or(c.Interval, instance.DefaultInterval)}
	if err := pacing.Check(); err != nil {
		return c, err
	}
	c.Interval = pacing.Interval
	if len(c.Seed) > instance.SeedBytes {
		return c, fmt.Errorf("the seed has %d bytes: use at most %d", len(c.Seed), instance.SeedBytes)
	}
	if c.Outcalls > instance.LastOutcalls {
		return c, fmt.Errorf("mode %d of HTTP outcalls is unknown: use AllowOutcalls or another of the constants beside it", c.Outcalls)
	}
	if c.MemoryLimit != 0 && c.MemoryLimit < MinMemoryLimit {
		return c, fmt.Errorf("a memory limit of %d bytes is too low: use at least %d (128MiB), or 0 for half of the memory of this machine", c.MemoryLimit, MinMemoryLimit)
	}
	if c.wall == nil {
		c.wall = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.StateDir != "" {
		dir, err := filepath.Abs(c.StateDir)
		if err != nil {
			return c, fmt.Errorf("the folder for the state: %w", err)
		}
		c.StateDir = dir
	}
	if c.CacheDir == "" {
		c.CacheDir = defaultCache(c.Log)
	}
	var failed error
	if c.CacheDir != "" {
		if err := os.MkdirAll(c.CacheDir, 0o700); err != nil {
			failed = fmt.Errorf("making the folder %s: %w", c.CacheDir, err)
		}
	}
	return c, failed
}
