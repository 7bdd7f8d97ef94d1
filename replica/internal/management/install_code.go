package management

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// installCode implements install_code.
func installCode(c *state.ManagementCall, a *installArg) state.Answer {
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	return install(c, r, &canister.Install{Arg: a.Arg, Caller: c.Caller, Origin: originOf(c, a.Version)}, &a.Mode, a.Module, 0)
}

// install installs a module into a canister that the caller controls: this is a message of the canister, so the
// canister must be idle. work is the instructions already spent on the module. Nothing is changed before the
// installation has begun, because the subnet may run the command again later.
func install(c *state.ManagementCall, r *state.Entry, in *canister.Install, mode *installMode, module []byte, work uint64) state.Answer {
	if r.Running {
		return state.WhenIdle(r)
	}
	if c.Host.Preceded(r) {
		return state.WhenCompiled()
	}
	enterMode(mode, in)
	empty := r.Canister.Module() == nil
	switch {
	case in.Mode == canister.InstallFresh && !empty:
		return state.Fail(rejectNonEmpty(r.ID()))
	case in.Mode == canister.Upgrade && empty:
		return state.Fail(rejectUpgradeEmpty(r.ID()))
	}
	if reject := checkInstallRate(c, r); reject != nil {
		return state.Fail(reject)
	}
	if c.Host.Compiling(c, r, module) {
		return state.WhenCompiled()
	}
	prepared, reject := c.Host.Prepare(module, r.Canister.Features)
	if reject != nil {
		return state.Fail(unprepared(c, r, reject, len(module), work))
	}
	in.Module = prepared
	return c.State.WhenInstalled(r, in, work)
}

// Installed charges for the work on the module and returns the answer of an installation that has ended.
func (f *facade) Installed(c *state.ManagementCall, r *state.Entry, work uint64, out canister.Outcome) state.Answer {
	reject := out.Failure
	if reject == nil || reject.Error != intercanister.CanisterOutOfCycles {
		charge(c, r, work)
	}
	if reject != nil {
		return state.Fail(cut(ofCanister(r, reject)))
	}
	c.State.Touch(r)
	return reply()
}

// unprepared charges a canister for an invalid module, and returns the reject. The canister must be able to pay for a
// whole installation, as if one had begun.
func unprepared(c *state.ManagementCall, r *state.Entry, cause *intercanister.Reject, size int, work uint64) *intercanister.Reject {
	sub := c.State.Environment
	prepaid := sub.Fees.Execution(sub.Limits.Install, false)
	if reject := checkFunds(c, r, prepaid); reject != nil {
		return rejectInstallOutOfCycles(reject)
	}
	used := min(sub.Limits.Install, InvalidModuleInstructions+InvalidModuleByteInstructions*uint64(size)+work)
	oweInstall(c, r, used)
	spend(r, prepaid.Sub(sub.Fees.ExecutionRefund(sub.Limits.Install-used, false)))
	return ofCanister(r, cause)
}

// enterMode sets mode and options of an installation.
func enterMode(m *installMode, in *canister.Install) {
	switch {
	case m.Reinstall != nil:
		in.Mode = canister.Reinstall
	case m.Upgrade != nil:
		in.Mode = canister.Upgrade
		options := *m.Upgrade
		if options == nil {
			return
		}
		in.SkipPreUpgrade = options.SkipPreUpgrade != nil && *options.SkipPreUpgrade
		switch p := options.Persistence; {
		case p == nil:
		case p.Keep != nil:
			in.Persistence = canister.Keep
		case p.Replace != nil:
			in.Persistence = canister.Replace
		}
	}
}

// ofCanister returns the reject of an installation for its caller: it names the canister, and a lack of cycles has the
// text for installations.
func ofCanister(r *state.Entry, cause *intercanister.Reject) *intercanister.Reject {
	switch {
	case cause.Error == intercanister.CanisterOutOfCycles && strings.HasPrefix(cause.Text, "Canister "+r.ID().String()):
		return rejectInstallOutOfCycles(cause)
	case cause.Error == intercanister.CanisterInvalidWasm && !strings.HasPrefix(cause.Text, "Error from Canister"):
		named := *cause
		named.Text = "Error from Canister " + r.ID().String() + ": " + cause.Text
		return &named
	}
	return cause
}

// wasmModule returns the module in an argument, a part of it; false if the argument cannot be read.
func wasmModule(arg []byte) ([]byte, bool) {
	var a struct {
		Module []byte `ic:"wasm_module"`
	}
	err := candid.UnmarshalInPlace(arg, &a)
	return a.Module, err == nil
}
