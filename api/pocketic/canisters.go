package pocketic

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// subject parses a body with only a canister.
func subject(body []byte) (principal.Principal, error) {
	var in rawCanister
	if err := decode(body, &in); err != nil {
		return principal.Principal{}, err
	}
	return in.read()
}

// report describes a canister, which must exist.
func (e *entry) report(ctx context.Context, id principal.Principal) (*introspect.CanisterReport, error) {
	report, err := driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) *introspect.CanisterReport {
		if report, ok := n.Introspect().Report(id); ok {
			return &report
		}
		return nil
	})
	if err == nil && report == nil {
		err = canisterNotFound(id)
	}
	return report, err
}

// reportOf describes the canister that a body names.
func (e *entry) reportOf(ctx context.Context, body []byte) (*introspect.CanisterReport, error) {
	id, err := subject(body)
	if err != nil {
		return nil, err
	}
	return e.report(ctx, id)
}

// balance is the number of cycles of a canister.
type balance struct {
	Cycles amount `json:"cycles"`
}

// getCycles serves POST read/get_cycles.
func (s *Server) getCycles(ctx context.Context, e *entry, body []byte) (any, error) {
	report, err := e.reportOf(ctx, body)
	if err != nil {
		return nil, err
	}
	return balance{amount{report.Balance}}, nil
}

// addCycles serves POST update/add_cycles.
func (s *Server) addCycles(ctx context.Context, e *entry, body []byte) (any, error) {
	var in struct {
		rawCanister
		Amount amount `json:"amount"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	id, err := in.read()
	if err != nil {
		return nil, err
	}
	if _, err := e.report(ctx, id); err != nil {
		return nil, err
	}
	if _, err := e.apply(ctx, replica.AddCycles{Canister: id, Amount: in.Amount.Amount}); err != nil {
		return nil, err
	}
	report, err := e.report(ctx, id)
	if err != nil {
		return nil, err
	}
	return balance{amount{report.Balance}}, nil
}

// apply gives the network an input, which may be refused.
func (e *entry) apply(ctx context.Context, in replica.Input) (replica.Result, error) {
	result, err := e.instance.Driver().Apply(ctx, in)
	if err == nil && result.Refusal != nil {
		err = result.Refusal
	}
	return result, err
}

// getControllers serves POST read/get_controllers.
func (s *Server) getControllers(ctx context.Context, e *entry, body []byte) (any, error) {
	report, err := e.reportOf(ctx, body)
	if err != nil {
		return nil, err
	}
	controllers := make([]rawPrincipal, len(report.Settings.Controllers))
	for i, c := range report.Settings.Controllers {
		controllers[i] = principalOf(c)
	}
	return controllers, nil
}

// memories references the memories of a canister, which must have code.
func (e *entry) memories(ctx context.Context, id principal.Principal) (*canister.Memories, error) {
	if _, err := e.report(ctx, id); err != nil {
		return nil, err
	}
	taken := make(chan *canister.Memories, 1)
	err := e.instance.Driver().Do(ctx, func(n *replica.Network) {
		var m *canister.Memories
		if c := n.Canister(id); c != nil {
			m = c.Memories()
		}
		taken <- m
	})
	if err != nil {
		go contain.Do(func() { discard(e.ctx, taken) }, e.failed)
		return nil, err
	}
	m := <-taken
	if m == nil {
		return nil, canisterIsEmpty(id)
	}
	return m, nil
}

// discard frees memories whose client stopped waiting for them.
func discard(ctx context.Context, taken <-chan *canister.Memories) {
	select {
	case m := <-taken:
		if m != nil {
			m.Close()
		}
	case <-ctx.Done():
	}
}
