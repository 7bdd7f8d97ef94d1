package control

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// canisters is the service Canisters.
type canisters struct {
	controlv1.UnimplementedCanistersServer
	*Server
}

// Reasons of the service.
var (
	canisterUnknown    = reason("CANISTER_UNKNOWN", codes.NotFound, "no canister %s in the instance", "canister_id").advise("ListCanisters lists them")
	icReject           = reason("IC_REJECT", codes.FailedPrecondition, "%s", "", "code", "error_code")
	noController       = reason("NO_CONTROLLER", codes.FailedPrecondition, "canister %s has no controllers: it can no longer be changed", "canister_id")
	noCode             = reason("NO_CODE", codes.FailedPrecondition, "canister %s has no code: install a module", "canister_id")
	noSection          = reason("NO_METADATA", codes.NotFound, "the module of canister %s has no metadata %q", "canister_id", "name")
	outOfMemory        = reason("OUT_OF_RANGE", codes.OutOfRange, "%s of canister %s is %d bytes: the part from offset %d exceeds it", "memory", "canister_id", "size", "offset")
	notMovable         = reason("NOT_MOVABLE", codes.FailedPrecondition, "%s", "", "canister_id")
	uploadBroken       = reason("UPLOAD_BROKEN", codes.InvalidArgument, "invalid upload: %s")
	moduleNotInstalled = reason("MODULE_NOT_INSTALLED", codes.FailedPrecondition, "canister %s does not have the module %s", "canister_id", "module").
				advise("install the module, with its debug information")
	moduleUnknown = reason("MODULE_UNKNOWN", codes.NotFound, "no canister or snapshot of this daemon has the module %s: send its bytes", "module")
	debugInfoBad  = reason("DEBUG_INFO_INVALID", codes.InvalidArgument, "invalid debug information: %v")
)

// rejected returns a refusal for a reject of the management canister.
func rejected(r *intercanister.Reject) *Error {
	code := ""
	if r.Error != 0 {
		code = r.Error.String()
	}
	return icReject.Refuse(r.Text, r.Code, code)
}

// subject is the canister of an RPC.
type subject struct {
	instance *instance.Instance
	id       principal.Principal
	report   introspect.CanisterReport
}

// subject finds the canister of an RPC.
func (s *canisters) subject(ctx context.Context, instance, canister string) (*subject, error) {
	i, err := s.instance(instance)
	if err != nil {
		return nil, err
	}
	id, err := requiredPrincipal("canister_id", canister)
	if err != nil {
		return nil, err
	}
	found := &subject{instance: i, id: id}
	return found, found.look(ctx)
}

// look describes the canister again.
func (c *subject) look(ctx context.Context) error {
	type described struct {
		introspect.CanisterReport
		ok bool
	}
	d, err := driver.ReadValue(ctx, c.instance.Driver(), func(n *replica.Network) described {
		r, ok := n.Introspect().Report(c.id)
		return described{r, ok}
	})
	if err != nil {
		return err
	}
	if !d.ok {
		return canisterUnknown.Refuse(c.id)
	}
	c.report = d.CanisterReport
	return nil
}

// controller returns the default sender of a change of the canister: its first controller.
func (c *subject) controller() (principal.Principal, error) {
	if controllers := c.report.Settings.Controllers; len(controllers) > 0 {
		return controllers[0], nil
	}
	return principal.Principal{}, noController.Refuse(c.id)
}

// manage calls a method of the management canister about the canister, as one of its controllers. A reject is a
// refusal.
func (c *subject) manage(ctx context.Context, method string, arg any) error {
	sender, err := c.controller()
	if err != nil {
		return err
	}
	_, err = manage(ctx, &preparedCall{instance: c.instance, sender: sender, effective: c.id, method: method}, arg)
	return err
}

// manage calls the management canister and returns its answer. A reject is a refusal.
func manage(ctx context.Context, o *preparedCall, arg any) (replica.IngressAnswer, error) {
	raw, err := candid.Marshal(arg)
	if err != nil {
		return replica.IngressAnswer{}, fmt.Errorf("writing the argument of %s: %w", o.method, err)
	}
	o.receiver, o.arg = principal.Management, raw
	_, a, reject, err := o.call(ctx)
	switch {
	case err != nil:
		return a, err
	case reject != nil:
		return a, rejected(reject)
	case a.Reject != nil:
		return a, rejected(a.Reject)
	}
	return a, nil
}

// apply gives the network an input about the canister.
func (c *subject) apply(ctx context.Context, in replica.Input) (*refusal.Refusal, error) {
	result, err := c.instance.Driver().Apply(ctx, in)
	return result.Refusal, err
}

// amountOf parses an amount of cycles.
func amountOf(field, text string) (cycles.Amount, error) {
	var amount cycles.Amount
	if text == "" {
		return amount, MissingField.Refuse(field, "an amount of cycles, in decimal digits")
	}
	if err := amount.UnmarshalText([]byte(text)); err != nil {
		return amount, BadField.Refuse(field, fmt.Sprintf("%.50q", text), "an amount of cycles is a decimal number of at most 128 bits")
	}
	return amount, nil
}
