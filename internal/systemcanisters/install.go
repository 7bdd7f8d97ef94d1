package systemcanisters

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// Network is what system canisters are installed in.
type Network interface {
	// View is the network's state at the end of its last round.
	View() *replica.View
	// Call sends a call as sender, with an effective canister id, and gives the reply.
	Call(ctx context.Context, call *Call) ([]byte, error)
}

// Call is an update call.
type Call struct {
	Sender, Receiver, Effective principal.Principal
	Method                      string
	Arg                         []byte
}

// Install installs the named canisters, each once, in a network that has none of them and all subnets that they need. They
// are controlled by the root canister of the NNS, as on mainnet.
func Install(ctx context.Context, network Network, names []Name, modules *Modules) error {
	for _, name := range known() {
		if !slices.Contains(names, name) {
			continue
		}
		if err := install(ctx, network, name, modules); err != nil {
			return fmt.Errorf("installing the system canister %s (%s): %w", name, name.ID(), err)
		}
	}
	return nil
}

func install(ctx context.Context, network Network, name Name, modules *Modules) error {
	id, root := name.ID(), principal.Canister(rootIndex)
	module, theirs, err := modules.module(name)
	if err != nil {
		return err
	}
	initial, err := name.argument(network.View(), theirs)
	if err != nil {
		return err
	}
	balance := name.cycles()
	create, err := candid.Marshal(management.Create{Amount: &balance, Specified: &id})
	if err != nil {
		return err
	}
	if _, err := network.Call(ctx, &Call{root, principal.Management, id, "provisional_create_canister_with_cycles", create}); err != nil {
		return err
	}
	code, err := candid.Marshal(management.Install{Mode: management.InstallMode{Install: &candid.Null{}}, Canister: id, Module: module, Arg: initial})
	if err != nil {
		return err
	}
	_, err = network.Call(ctx, &Call{root, principal.Management, id, "install_code", code})
	return err
}

// SetSubnets tells the installed canisters that know subnets which subnets the network has now. Canisters whose modules
// are not those of this package are left alone.
func SetSubnets(ctx context.Context, network Network) error {
	for _, name := range []Name{Registry, CyclesMinting} {
		view := network.View()
		if !name.installed(view) {
			continue
		}
		subnets, err := name.initArg(view)
		if err != nil {
			return err
		}
		if _, err := network.Call(ctx, &Call{principal.Canister(rootIndex), name.ID(), name.ID(), "set_subnets", subnets}); err != nil {
			return fmt.Errorf("telling the system canister %s (%s) which subnets there are: %w", name, name.ID(), err)
		}
	}
	return nil
}

// ownSection is the metadata of the modules of this package. It begins with the name of the module and a colon.
const ownSection = "canisterd:module"

// installed reports whether a network has the canister with a module of this package, perhaps of another version.
func (n Name) installed(view *replica.View) bool {
	module := view.Module(n.ID())
	if module == nil {
		return false
	}
	section, found := module.Section(ownSection)
	return found && bytes.HasPrefix(section.Content, []byte(n.place().file+":"))
}

// cycles is the canister's balance to begin with: the cycles ledger holds the cycles of its accounts.
func (n Name) cycles() candid.Nat {
	if n == CyclesToken {
		return anonymousCycles()
	}
	return candid.NatOf(ownCycles)
}

// anonymousCycles is what the anonymous principal has on the cycles ledger: half of what a balance can be.
func anonymousCycles() candid.Nat {
	half := new(big.Int).Lsh(big.NewInt(1), 127)
	nat, err := candid.NatOfBig(half.Sub(half, big.NewInt(1)))
	if err != nil {
		panic(err) // it is not negative
	}
	return nat
}

// argument is the argument of the canister's installation; theirs says that the module is the published one.
func (n Name) argument(view *replica.View, theirs bool) ([]byte, error) {
	if theirs {
		return n.publishedArg()
	}
	return n.initArg(view)
}

// initArg is the argument of the canister's installation with the module that is here.
func (n Name) initArg(view *replica.View) ([]byte, error) {
	switch n {
	case Registry:
		return candid.Marshal(registryArg{ranges(view)})
	case ICPToken:
		return candid.Marshal(icpLedgerArg{fundedAccounts()})
	case CyclesMinting:
		return candid.Marshal(mintingArgOf(view))
	default:
		funded := fundedCycles{Account: account{Owner: principal.Anonymous}, Amount: anonymousCycles()}
		return candid.Marshal(cyclesLedgerArg{[]fundedCycles{funded}})
	}
}

type registryArg struct {
	Ranges []canisterRange `ic:"ranges"`
}

type canisterRange struct {
	Start  principal.Principal `ic:"start"`
	End    principal.Principal `ic:"end"`
	Subnet principal.Principal `ic:"subnet"`
}

func ranges(view *replica.View) []canisterRange {
	var all []canisterRange
	for i := range view.Subnets {
		for _, r := range view.Subnets[i].Ranges {
			all = append(all, canisterRange{r.Start, r.End, view.Subnets[i].ID})
		}
	}
	return all
}

type icpLedgerArg struct {
	Funded []fundedAccount `ic:"funded"`
}

type fundedAccount struct {
	Account []byte `ic:"0,tuple"`
	E8s     uint64 `ic:"1,tuple"`
}

type mintingArg struct {
	Defaults   []principal.Principal `ic:"default_subnets"`
	Types      []subnetType          `ic:"subnet_types"`
	Authorized []principal.Principal `ic:"authorized_subnets"`
}

type subnetType struct {
	Name    string                `ic:"0,tuple"`
	Subnets []principal.Principal `ic:"1,tuple"`
}

// mintingArgOf says where canisters are created: by default on application subnets, by choice also on others whose
// canisters pay.
func mintingArgOf(view *replica.View) mintingArg {
	arg := mintingArg{Defaults: []principal.Principal{}, Types: []subnetType{}, Authorized: []principal.Principal{}}
	for i := range view.Subnets {
		switch subnet := &view.Subnets[i]; subnet.Kind {
		case replica.Application:
			arg.Defaults = append(arg.Defaults, subnet.ID)
		case replica.Fiduciary:
			arg.Types = append(arg.Types, subnetType{"fiduciary", []principal.Principal{subnet.ID}})
		case replica.VerifiedApplication, replica.CloudEngine, replica.SNS, replica.TestKeys:
			arg.Authorized = append(arg.Authorized, subnet.ID)
		}
	}
	return arg
}

type cyclesLedgerArg struct {
	Funded []fundedCycles `ic:"funded"`
}

type fundedCycles struct {
	Account account    `ic:"0,tuple"`
	Amount  candid.Nat `ic:"1,tuple"`
}

type account struct {
	Owner      principal.Principal `ic:"owner"`
	Subaccount *[]byte             `ic:"subaccount"`
}
