package daemon

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/modulecache"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// DefaultListen is the address at which the Internet Computer's own tools expect a local network.
const DefaultListen = "127.0.0.1:4943"

// Config configures a daemon. Its zero value is a root subnet and an application subnet on DefaultListen, whose state
// is lost when the daemon is closed.
type Config struct {
	// Listen is the address of the HTTP interface, host:port; port 0 takes any free one.
	Listen string
	// Control configures the address of the control API and its clients.
	Control Control
	// StateDir is the state directory, in which the network survives the daemon. A network in it continues. Empty:
	// nothing survives the daemon.
	StateDir string
	// CheckpointBytes is the number of bytes of records after which a checkpoint is made; 0: 64 MiB.
	CheckpointBytes int64
	// Retention limits the history of instances that are kept. The zero value keeps none.
	Retention Retention
	// CacheDir keeps compiled modules between starts; empty for a folder of the user's cache, or without a usable home
	// a private temporary one.
	CacheDir string
	// CoverDir is a directory in which the daemon writes which code of canisters runs (package coverdir): within a second,
	// and when it is closed. Empty: it is not measured.
	CoverDir string
	// CompileWorker is a program with arguments that calls CompileWorker on the folder in its last argument. It
	// compiles slow modules. Empty: this process compiles them.
	CompileWorker []string
	// Subnets are the network's subnets; none for a root subnet with the id of mainnet's root subnet, and one
	// application subnet.
	Subnets []replica.SubnetConfig
	// Admins administer all application subnets and cloud engines, which are then free of charge (interface
	// specification, "Subnet admins"). Subnets can also have their own admins (replica.SubnetConfig).
	Admins []principal.Principal
	// SystemCanisters are installed in the first instance: the registry, the ICP ledger, the cycles minting canister
	// and the cycles ledger, at their mainnet ids. Subnets that they need are added.
	SystemCanisters []systemcanisters.Name
	// SystemModules is a folder with published modules of system canisters, which are installed instead of canisterd's
	// own (systemcanisters.Modules); empty for none.
	SystemModules string
	// Seed is the seed of keys, ids and randomness, up to 32 bytes. With the same seed, the first network is the same
	// at every start, and so are networks without their own seed if they are made in the same order. None: a random
	// seed. Networks of different seeds differ in root key, subnet ids and canister ids, so that calls of an agent to
	// the wrong one are rejected.
	Seed []byte
	// RateLimits limits how much memory canisters change and how often they are installed, as
	// mainnet does (IC0209).
	RateLimits bool
	// Pacing says how the wall clock drives the network.
	Pacing Pacing
	// Interval is the time between two rounds if Pacing is Interval; 0 for a second.
	Interval time.Duration
	// KeptInstances is the maximum number of instances on disk; 0: 256.
	KeptInstances int
	// Instances is the maximum number of instances; 0: MaxInstances.
	Instances int
	// Outcalls configures canisters' HTTP outcalls.
	Outcalls Outcalls
	// OutcallsLocal lets outcalls reach this machine and its networks: loopback, link-local
	// and private addresses.
	OutcallsLocal bool
	// OutcallTargets are local servers that outcalls may reach without OutcallsLocal: host:port,
	// host, or a prefix of addresses such as 10.0.0.0/8.
	OutcallTargets []string
	// Gateway configures the HTTP gateway, through which browsers reach canisters.
	Gateway Gateway
	// Inspector configures the inspector, which shows instances in a browser.
	Inspector Inspector
	// Assistants configures the tools for coding assistants, which are served where the inspector is.
	Assistants Assistants
	// MemoryLimit limits the memory of the process in bytes, without the heaps and stable memories
	// of canisters; above it, requests are rejected. 0: half of the memory of the machine or control
	// group. At least MinMemoryLimit.
	MemoryLimit int64
	// PocketIC serves the REST interface of PocketIC's server. It replaces the HTTP interface of a first instance:
	// clients make their own instances.
	PocketIC bool
	// PocketICMajor is the major version of the clients of that interface: older ones do not know all error codes. 0:
	// the newest.
	PocketICMajor int
	// PocketICOrigins are pages that may use that interface besides those of this machine, such as https://app.example;
	// * for all. They can do whatever the user of the daemon can do with the interface.
	PocketICOrigins []string
	// Diagnostics receives a line for each rejected call of that interface, and the output of
	// canisters; nil for none.
	Diagnostics io.Writer
	// Spans configures where spans of messages and calls are sent; the zero value sends none.
	Spans Spans
	// Log is the log of the daemon; nil for none.
	Log *slog.Logger

	// Compiled is called when a module that a canister installs is compiled (instance.Config.Compiled).
	Compiled func()

	wall    func() time.Time // the wall clock; nil for time.Now
	workers int              // as instance.Config.Workers
}

// Pacing says how the wall clock drives a network.
type Pacing = instance.PacingMode

const (
	// Auto runs a round as soon as there is work, at the time of the wall clock:
	// an update is answered immediately, and timers fire when they are due.
	Auto = instance.Auto
	// Manual runs no rounds and leaves the time as it is. Clients of the control API do both,
	// or the program that embeds the daemon (Daemon.Driver).
	Manual = instance.Manual
	// Still runs a round as soon as there is work, and leaves the time to clients.
	Still = instance.Still
	// Interval runs a round every Config.Interval, at the time of the wall clock.
	Interval = instance.Interval
)

// withDefaults returns the configuration with all defaults set, or an error if it is invalid.
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
	if err := pocketic.CheckOrigins(c.PocketICOrigins); err != nil {
		return c, fmt.Errorf("the pages that may use PocketIC's interface: %w", err)
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
			return c, fmt.Errorf("the state directory: %w", err)
		}
		c.StateDir = dir
	}
	var failed error
	if c.CacheDir == "" {
		c.CacheDir = modulecache.Default(c.Log)
	} else if err := modulecache.Check(c.CacheDir); err != nil {
		failed = cacheRefused(c.CacheDir, err)
	}
	return c, failed
}
