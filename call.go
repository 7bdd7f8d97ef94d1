package canisterd

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Call makes an update call and waits for its answer. The arguments are Go values, or one [Text] or [Bytes]; a
// *Canister becomes its id. [Into] receives the results. The error is a *[Reject] if the call was rejected, a
// *[Refusal] if it was not made, [ErrWaiting] if it is not answered before time passes or a message is released, or the
// error of ctx.
func (c *Canister) Call(ctx context.Context, method string, args ...any) error {
	pending, err := c.Submit(ctx, method, args...)
	if err != nil {
		return err
	}
	return pending.Await(ctx)
}

// Call is [Canister.Call] and returns the method's result.
func Call[R any](ctx context.Context, c *Canister, method string, args ...any) (result R, err error) {
	err = c.Call(ctx, method, append(args, Into(&result))...)
	return result, err
}

// Query makes a query call. Arguments and errors are as in [Canister.Call].
func (c *Canister) Query(ctx context.Context, method string, args ...any) error {
	args, targets := split(args)
	described := c.method(ctx, method)
	arg, err := c.argument(method, described, args)
	if err != nil {
		return err
	}
	result, err := c.network.running.Backend().Query(ctx, &replica.Query{
		Sender: c.caller, Receiver: c.id, Effective: c.id, Method: method, Arg: arg,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, method, err)
	case result.Reject != nil:
		return c.rejected(method, result.Reject, result.Backtrace)
	}
	return c.read(method, described, result.Reply, targets)
}

// Query is [Canister.Query] and returns the method's result.
func Query[R any](ctx context.Context, c *Canister, method string, args ...any) (result R, err error) {
	err = c.Query(ctx, method, append(args, Into(&result))...)
	return result, err
}

// Pending is an update call whose answer can be awaited.
type Pending struct {
	canister  *Canister
	method    string
	id        replica.RequestID
	subnet    principal.Principal
	targets   []any
	described *did.Method
}

// ID returns the id of the request in hex, for the commands of canisterd.
func (p *Pending) ID() string { return hex.EncodeToString(p.id[:]) }

// Submit makes an update call and does not wait. Rounds run when a call is awaited, time is moved, or [Network.Settle]
// is called. Arguments and errors are as in [Canister.Call].
func (c *Canister) Submit(ctx context.Context, method string, args ...any) (*Pending, error) {
	args, targets := split(args)
	effective := c.id
	if c.id == principal.Management {
		effective = c.network.running.Driver().View().DefaultCanister()
	}
	pending, err := c.submit(ctx, method, effective, false, args...)
	if err != nil {
		return nil, err
	}
	pending.targets = targets
	return pending, nil
}

// submit makes a call that is routed by a canister id. Modules that it installs have any size.
func (c *Canister) submit(ctx context.Context, method string, effective principal.Principal, anySize bool, args ...any) (*Pending, error) {
	described := c.method(ctx, method)
	arg, err := c.argument(method, described, args)
	if err != nil {
		return nil, err
	}
	if c.id == principal.Management {
		effective = management.EffectiveCanister(arg, effective)
	}
	r := c.network.running
	now, err := r.Now(ctx)
	if err != nil {
		return nil, err
	}
	in := &replica.Ingress{
		ID: r.Driver().FreshID(c.caller, c.id, method), Sender: c.caller, Receiver: c.id, Effective: effective, Method: method, Arg: arg,
		Expiry: now + replica.MaxIngressTTL, Size: replica.EnvelopeBytes + len(method) + len(arg), AnySize: anySize,
	}
	for {
		receipt, err := r.Backend().Submit(ctx, in)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s.%s: %w", c, method, err)
		case receipt.Reject != nil:
			return nil, c.rejected(method, receipt.Reject, nil)
		case receipt.Known == 0:
			return c.pending(ctx, in, described)
		}
		in.ID = r.Driver().FreshID(c.caller, c.id, method) // a restored or forked network may know the first
	}
}

// pending submits a call.
func (c *Canister) pending(ctx context.Context, in *replica.Ingress, described *did.Method) (*Pending, error) {
	p := &Pending{canister: c, method: in.Method, id: in.ID, described: described}
	var err error
	p.subnet, err = readNetwork(ctx, c.network, func(n *replica.Network) principal.Principal {
		subnet, _ := n.HostOf(in.Effective)
		return subnet
	})
	return p, err
}

// Await waits for the answer and reads the results into the targets, or without any into those of [Canister.Submit].
// The errors are as in [Canister.Call]; a call may be awaited again.
func (p *Pending) Await(ctx context.Context, targets ...any) error {
	if _, named := split(targets); len(named) > 0 {
		targets = named
	}
	if len(targets) == 0 {
		targets = p.targets
	}
	return p.await(ctx, targets)
}

func (p *Pending) await(ctx context.Context, targets []any) error {
	c := p.canister
	answers := make(chan replica.IngressAnswer, 1)
	answered, err := c.network.running.AwaitHere(ctx, func(n *replica.Network) bool {
		a, _ := n.IngressAnswer(p.subnet, p.id)
		if a.Status != 0 && !a.Status.Terminal() {
			return false
		}
		answers <- a
		return true
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, p.method, err)
	case !answered:
		return c.unanswered(ctx, p)
	}
	a := <-answers
	switch {
	case a.Status == 0 || a.Status == replica.Done:
		return fmt.Errorf("%s.%s: the network does not know the answer: it was restored, or more than five minutes have passed", c, p.method)
	case a.Reject != nil:
		return c.rejected(p.method, a.Reject, a.Backtrace)
	}
	return c.read(p.method, p.described, a.Reply, targets)
}

// unanswered returns the error for a call that waits, with what it waits for.
func (c *Canister) unanswered(ctx context.Context, p *Pending) error {
	why, err := readNetwork(ctx, c.network, func(n *replica.Network) string { return n.Introspect().WhyUnanswered(p.id).Text })
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, p.method, err)
	case why == "":
		return fmt.Errorf("%s.%s is not answered: %w", c, p.method, ErrWaiting)
	}
	return fmt.Errorf("%s.%s is not answered (%s): %w", c, p.method, why, ErrWaiting)
}

// argument encodes the arguments of a call.
func (c *Canister) argument(method string, described *did.Method, args []any) ([]byte, error) {
	var types []*candid.Type
	text := encodeUntyped
	if described != nil {
		types, text = did.Types(described.Args), described.EncodeArgs
		if types == nil {
			types = []*candid.Type{}
		}
	}
	arg, err := encode(args, types, text)
	switch {
	case err != nil && described != nil:
		return nil, fmt.Errorf("%s.%s takes %s: %w", c, method, did.FormatTypes(described.Args), err)
	case err != nil:
		return nil, fmt.Errorf("%s.%s: %w", c, method, err)
	}
	return arg, nil
}

// read decodes a reply.
func (c *Canister) read(method string, described *did.Method, reply []byte, targets []any) error {
	err := decode(reply, targets, described)
	switch {
	case err != nil && described != nil:
		return fmt.Errorf("%s.%s replies %s: %w", c, method, did.FormatTypes(described.Results), err)
	case err != nil:
		return fmt.Errorf("reading the reply of %s.%s: %w", c, method, err)
	}
	return nil
}

// Encode returns the arguments of a call as the Candid bytes that [Canister.Call] sends. It ignores [Into].
func (c *Canister) Encode(ctx context.Context, method string, args ...any) ([]byte, error) {
	args, _ = split(args)
	return c.argument(method, c.method(ctx, method), args)
}

// Decode reads the Candid bytes of a reply into the variables of [Into], as [Canister.Call] with these arguments does.
func (c *Canister) Decode(ctx context.Context, method string, reply []byte, args ...any) error {
	_, targets := split(args)
	return c.read(method, c.method(ctx, method), reply, targets)
}

// report describes the canister.
func (c *Canister) report(ctx context.Context) (introspect.CanisterReport, error) {
	type described struct {
		introspect.CanisterReport
		there bool
	}
	seen, err := readNetwork(ctx, c.network, func(n *replica.Network) described {
		r, found := n.Introspect().Report(c.id)
		return described{r, found}
	})
	if err == nil && !seen.there {
		err = fmt.Errorf("the network has no canister %s", c)
	}
	return seen.CanisterReport, err
}

// mode says how a module is installed.
type mode uint8

const (
	install mode = iota
	reinstall
	upgrade
)

// manage calls a method of the management canister about the canister, as its first controller.
func (c *Canister) manage(ctx context.Context, method string, arg any) error {
	r, err := c.report(ctx)
	if err != nil {
		return err
	}
	if len(r.Settings.Controllers) == 0 {
		return fmt.Errorf("canister %s has no controllers: it can no longer be changed", c)
	}
	management := c.network.Management().As(r.Settings.Controllers[0])
	pending, err := management.submit(ctx, method, c.id, true, arg)
	if err != nil {
		return err
	}
	return pending.await(ctx, nil)
}

// managementInterface is the interface of the management canister, which has no module.
var managementInterface = sync.OnceValue(func() *did.File {
	file, err := did.Parse(replica.ManagementInterface())
	if err != nil {
		panic(fmt.Sprintf("canisterd: the interface of the management canister: %v", err))
	}
	return file
})

// method returns a method from the canister's interface, nil if it is not described.
func (c *Canister) method(ctx context.Context, name string) *did.Method {
	file := managementInterface()
	if c.id != principal.Management {
		module := c.network.running.Driver().Module(c.id)
		if module == nil {
			return nil
		}
		known := c.described.Load()
		if known == nil || known.module != module.Hash() {
			known = &described{module.Hash(), c.describe(ctx, module)}
			c.described.Store(known)
		}
		if file = known.file; file == nil {
			return nil
		}
	}
	if m, ok := file.Method(name); ok {
		return &m
	}
	return nil
}

// describe returns the interface of a module, nil if it has no readable one.
func (c *Canister) describe(ctx context.Context, module *canister.Module) *did.File {
	var text string
	if section, ok := module.Section(did.InterfaceSection); ok {
		text = string(section.Content)
	} else if module.Method(interfaceQuery) == canister.QueryMethod {
		asked := &api.Query{Sender: principal.Anonymous, Receiver: c.id, Effective: c.id, Method: interfaceQuery, Arg: noArguments}
		result, err := c.network.running.Backend().Query(ctx, asked)
		if err != nil || result.Reject != nil || candid.Unmarshal(result.Reply, &text) != nil {
			return nil
		}
	}
	file, err := did.Parse(text)
	if err != nil || file.Service() == nil {
		return nil
	}
	return file
}

// ErrWaiting is the error of a call that is not answered before time passes, a held message is released or an outcall
// is answered. The call continues.
var ErrWaiting = errors.New("nothing more happens before time passes or a held message is released")

// Refusal is a request that the network refused, such as a time in the past: nothing happened.
type Refusal = refusal.Refusal

// RejectCode says who is to blame for a rejected call (interface specification, "Reject codes").
type RejectCode = intercanister.RejectCode

// The reject codes.
const (
	SysFatal           = intercanister.SysFatal
	SysTransient       = intercanister.SysTransient
	DestinationInvalid = intercanister.DestinationInvalid
	CanisterReject     = intercanister.CanisterReject
	CanisterError      = intercanister.CanisterError
	SysUnknown         = intercanister.SysUnknown
)

// Reject is the error of a rejected call: by the canister, because its code failed, or by the network.
type Reject struct {
	Canister  principal.Principal // the callee
	Method    string
	Code      RejectCode
	ErrorCode string // such as IC0503; "" if the canister rejects with its own code
	Message   string // the replica's text, or the canister's
	// Backtrace is where code failed, innermost first; empty if none did. It continues beyond the callee in the
	// canisters that called one another.
	Backtrace []Frame
	name      string
}

// Frame is a line of a backtrace.
type Frame struct {
	Canister principal.Principal
	Function string // of the module, or the called method
	// File and Line are where the function was, if the module has debug information: File is relative to the directory
	// of the build if it lies there. Otherwise they are empty.
	File string
	Line int
}

// Error returns the text of the reject, with its backtrace unless the message has all of it: the message has no source
// lines.
func (r *Reject) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s.%s: rejected with code %d", r.name, r.Method, r.Code)
	if r.ErrorCode != "" {
		fmt.Fprintf(&text, " (%s)", r.ErrorCode)
	}
	text.WriteString(": " + r.Message)
	located := slices.ContainsFunc(r.Backtrace, func(f Frame) bool { return f.File != "" })
	if len(r.Backtrace) > 0 && (located || !strings.Contains(r.Message, "\nCanister Backtrace:\n")) {
		text.WriteString("\nbacktrace, innermost first:")
		for _, f := range r.Backtrace {
			fmt.Fprintf(&text, "\n  %s in %s", f.Function, f.Canister)
			if f.File != "" {
				fmt.Fprintf(&text, " (%s:%d)", f.File, f.Line)
			}
		}
	}
	return text.String()
}

// rejected returns the error for a reject of a call.
func (c *Canister) rejected(method string, r *intercanister.Reject, backtrace []replica.Frame) error {
	out := &Reject{Canister: c.id, Method: method, Code: r.Code, Message: r.Text, name: c.network.called(c.id)}
	if r.Error != 0 {
		out.ErrorCode = r.Error.String()
	}
	for _, f := range backtrace {
		out.Backtrace = append(out.Backtrace, Frame{
			f.Canister, strings.ToValidUTF8(f.Function, "\uFFFD"), strings.ToValidUTF8(f.Line.File, "\uFFFD"), f.Line.Number,
		})
	}
	return out
}
