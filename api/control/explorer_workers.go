package control

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// workersFailed takes the error of workers in other processes.
var workersFailed = reason("EXPLORE_WORKERS_FAILED", codes.Unavailable, "the workers of the exploration failed: %v")

// distribute makes workers of other processes do the jobs of an exploration. The caller closes the coordinator.
func (s *explorer) distribute(ctx context.Context, in *controlv1.ExploreRequest, c *campaign.Config, base *replica.Network) (*workqueue.Coordinator, error) {
	description, err := proto.Marshal(forWorkers(in, c))
	if err != nil {
		return nil, fmt.Errorf("describing the exploration: %w", err)
	}
	queue, err := s.workers.Begin(ctx, &workqueue.Campaign{Description: description, Base: base.Export})
	if err != nil {
		return nil, workersFailed.Refuse(err)
	}
	c.Pool = queue
	return queue, nil
}

// forWorkers returns the part of a request that its workers need. Arguments are bytes, because only the instance has their
// types.
func forWorkers(in *controlv1.ExploreRequest, c *campaign.Config) *controlv1.ExploreRequest {
	out := &controlv1.ExploreRequest{
		Before: plainOperations(c.Before), Operations: plainOperations(c.Setup.Operations), Properties: in.GetProperties(), Names: in.GetNames(),
		Waits: new(uint32(c.Setup.Waits)), Upgrades: in.GetUpgrades(), Outcalls: in.GetOutcalls(), Blocks: in.GetBlocks(),
	}
	if c.Drawn != nil { // workers draw, too
		out.Seed, out.Faults, out.FaultKinds, out.Untrusted = in.GetSeed(), in.GetFaults(), in.GetFaultKinds(), in.GetUntrusted()
		out.Any, out.Arguments = in.GetAny(), in.GetArguments()
		for i, o := range in.GetOperations() {
			out.Operations[i].Drawn = o.GetDrawn()
		}
	}
	return out
}

// plainOperations returns operations with their arguments as bytes.
func plainOperations(all []harness.Operation) (out []*controlv1.ExploreOperation) {
	for i := range all {
		m := &all[i].Message
		out = append(out, &controlv1.ExploreOperation{Title: all[i].Title, Retried: all[i].Retried, Call: &controlv1.Call{
			CanisterId: m.Receiver.String(), EffectiveCanisterId: m.Effective.String(), Method: m.Method, Sender: m.Sender.String(),
			Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: m.Arg}},
		}})
	}
	return out
}

// ExploreHost makes workers of explorations that run elsewhere. It belongs to one goroutine.
type ExploreHost struct {
	engine *canister.Engine
	digest string           // of base
	base   *replica.Network // the newest, nil at first
	done   func()           // frees what the newest worker was made of
}

// NewExploreHost returns a host whose networks run on an engine. The caller closes it before the engine.
func NewExploreHost(engine *canister.Engine) *ExploreHost {
	return &ExploreHost{engine: engine, done: func() {}}
}

// Close frees the newest base. The caller closes the workers before.
func (h *ExploreHost) Close() {
	h.done()
	if h.base != nil {
		h.base.Close()
	}
}

// Open makes a worker (workqueue.Host). It does not read a base again that has the digest of the one before.
func (h *ExploreHost) Open(description []byte, digest string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
	in := &controlv1.ExploreRequest{}
	if err := proto.Unmarshal(description, in); err != nil {
		return nil, fmt.Errorf("the description of the exploration: %w", err)
	}
	h.done()
	h.done = func() {}
	if err := h.read(digest, base); err != nil {
		return nil, err
	}
	c := &campaign.Config{}
	if err := readDescription(c, in, h.base); err != nil {
		return nil, err
	}
	var err error
	if h.done, err = prepare(c); err != nil {
		h.done = func() {}
		return nil, err
	}
	return campaign.NewWorker(c)
}

// read reads a base, unless its digest is the one of the newest.
func (h *ExploreHost) read(digest string, base func() (io.ReadCloser, error)) error {
	if h.base != nil && h.digest == digest {
		return nil
	}
	file, err := base()
	if err != nil {
		return fmt.Errorf("reading the base of the exploration: %w", err)
	}
	defer func() { _ = file.Close() }() // it was read
	network, err := replica.Import(file, replica.Config{Engine: h.engine})
	if err != nil {
		return fmt.Errorf("the base of the exploration: %w", err)
	}
	if h.base != nil {
		h.base.Close()
	}
	h.base, h.digest = network, digest
	return nil
}

// readDescription reads the part of a configuration that workers need.
func readDescription(c *campaign.Config, in *controlv1.ExploreRequest, base *replica.Network) error {
	names, err := readProperties(c, in, base)
	if err != nil {
		return err
	}
	if err := readOutside(c, in, names); err != nil {
		return err
	}
	c.Setup.Waits, c.Setup.Blocks = int(in.GetWaits()), in.GetBlocks()
	c.Seed, c.Faults = in.GetSeed(), int(in.GetFaults())
	if err := readFaultKinds(c, in, names); err != nil {
		return err
	}
	if c.Before, err = readPlain(in.GetBefore()); err != nil {
		return err
	}
	if c.Setup.Operations, err = readPlain(in.GetOperations()); err != nil {
		return err
	}
	return readDrawn(c, in, names)
}

// readPlain reads operations of plainOperations.
func readPlain(in []*controlv1.ExploreOperation) (all []harness.Operation, err error) {
	for _, o := range in {
		m := replica.Ingress{Method: o.GetCall().GetMethod(), Arg: bytes.Clone(o.GetCall().GetArgument().GetBytes())}
		if m.Receiver, err = requiredPrincipal("call.canister_id", o.GetCall().GetCanisterId()); err != nil {
			return nil, err
		}
		if m.Effective, err = requiredPrincipal("call.effective_canister_id", o.GetCall().GetEffectiveCanisterId()); err != nil {
			return nil, err
		}
		if m.Sender, err = requiredPrincipal("call.sender", o.GetCall().GetSender()); err != nil {
			return nil, err
		}
		all = append(all, operationOf(o, m))
	}
	return all, nil
}

// operationOf returns an operation with its message, whose size it sets.
func operationOf(o *controlv1.ExploreOperation, m replica.Ingress) harness.Operation {
	m.Size = len(m.Arg) + len(m.Method) + replica.EnvelopeBytes
	return harness.Operation{Title: o.GetTitle(), Retried: o.GetRetried(), Message: m}
}
