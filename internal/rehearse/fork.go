package rehearse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/big"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// fork is a fork of the instance. Its rounds run only when it is asked to.
type fork struct {
	*Plan
	name string
}

// fork makes a fork.
func (r *rehearsal) fork(ctx context.Context, request *controlv1.ForkInstanceRequest) (*fork, error) {
	request.Lease, request.Pacing = r.lease, &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
	made, err := r.Daemon.Instances.ForkInstance(ctx, request)
	if err != nil {
		return nil, err
	}
	name := made.GetInstance().GetName()
	r.forks = append(r.forks, name)
	return &fork{r.Plan, name}, nil
}

// another makes a fork of a fork.
func (r *rehearsal) another(ctx context.Context, of string) (*fork, error) {
	return r.fork(ctx, &controlv1.ForkInstanceRequest{Instance: of})
}

// deleteForks deletes the forks, also if the rehearsal was interrupted.
func (r *rehearsal) deleteForks(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for _, name := range r.forks {
		_, err := r.Daemon.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// canister returns the canister.
func (f *fork) canister(ctx context.Context) (*controlv1.Canister, error) {
	got, err := f.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: f.name, CanisterId: f.Canister})
	return got.GetCanister(), err
}

// module is what a canister is upgraded to: the content of a module, or the hash of one that another fork has.
type module struct{ content, hash []byte }

// install upgrades the canister. why is the text of a reject by the network.
func (f *fork) install(ctx context.Context, to module) (installed *controlv1.InstallCodeResponse, why string, err error) {
	installed, err = f.Daemon.Install(ctx, &controlv1.InstallHead{
		Instance: f.name, CanisterId: f.Canister, Mode: controlv1.InstallMode_INSTALL_MODE_UPGRADE, Argument: f.Argument, Sender: f.Sender, Features: f.Features,
		ModuleHash: to.hash,
	}, bytes.NewReader(to.content), nil)
	if reason, _ := remote.Reason(err); reason == rejected {
		return nil, firstLine(remote.Stated(err)), nil
	}
	return installed, "", err
}

// firstLine returns the first line of a reject. Further lines are the replica's advice.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// rejected is the reason of an error that is a reject of the network (proto/control/v1/canisters.proto).
const rejected = "IC_REJECT"

// settle releases held messages, and runs rounds until no message is left that could run at the present time, at least
// one.
func (f *fork) settle(ctx context.Context) (height uint64, err error) {
	if err := f.release(ctx); err != nil {
		return 0, err
	}
	if height, err = f.rounds(ctx, 1); err != nil {
		return 0, err
	}
	got, err := f.Daemon.Clock.RunUntil(ctx, &controlv1.RunUntilRequest{
		Instance: f.name, Condition: &controlv1.RunUntilRequest_Idle{Idle: true}, MaxRounds: SettleRounds,
	})
	return max(height, got.GetHeight()), err
}

// release releases the messages that rules hold.
func (f *fork) release(ctx context.Context) error {
	for {
		got, err := f.Daemon.Messages.ListHeld(ctx, &controlv1.ListHeldRequest{Instance: f.name})
		if err != nil || len(got.GetHeld()) == 0 {
			return err
		}
		for _, held := range got.GetHeld() {
			if _, err := f.Daemon.Messages.Release(ctx, &controlv1.ReleaseRequest{Instance: f.name, HeldId: held.GetHeldId()}); err != nil {
				return err
			}
		}
	}
}

// rounds runs some rounds.
func (f *fork) rounds(ctx context.Context, n uint32) (height uint64, err error) {
	got, err := f.Daemon.Clock.RunRounds(ctx, &controlv1.RunRoundsRequest{Instance: f.name, Rounds: n})
	return got.GetHeight(), err
}

// openCalls counts the calls of the canister that are not answered.
func (f *fork) openCalls(ctx context.Context) (n int, err error) {
	request := &controlv1.ListFuturesRequest{Instance: f.name, CanisterId: f.Canister, Page: &controlv1.Page{}}
	for {
		got, err := f.Daemon.Messages.ListFutures(ctx, request)
		if err != nil {
			return 0, err
		}
		n += len(got.GetFutures())
		if request.Page.Token = got.GetNextPageToken(); request.Page.Token == "" {
			return n, nil
		}
	}
}

// stable returns the beginning of stable memory.
func (f *fork) stable(ctx context.Context, length uint64) ([]byte, error) {
	stream, err := f.Daemon.Canisters.ReadMemory(ctx, &controlv1.ReadMemoryRequest{
		Instance: f.name, CanisterId: f.Canister, Memory: controlv1.MemoryKind_MEMORY_KIND_STABLE, Length: length,
	})
	if err != nil {
		return nil, err
	}
	var all []byte
	for {
		got, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, got.GetChunk()...)
	}
}

// less returns by how much a decimal number is smaller than another, 0 if it is not.
func less(before, after string) string {
	from, ok := new(big.Int).SetString(before, 10)
	to, also := new(big.Int).SetString(after, 10)
	if !ok || !also || from.Cmp(to) < 0 {
		return "0"
	}
	return from.Sub(from, to).String()
}
