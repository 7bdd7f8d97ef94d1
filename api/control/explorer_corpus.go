package control

import (
	"context"
	"sync/atomic"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// endable makes EndExploration find an exploration by its name until over is called.
func (s *Server) endable(c *campaign.Config, name string) (over func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	ended, expired := new(atomic.Bool), c.Expired
	if _, used := s.explorations.LoadOrStore(name, ended); used {
		return nil, BadField.Refuse("exploration", name, "an exploration with this name is in progress: choose another one")
	}
	c.Expired = func() bool { return ended.Load() || expired() }
	return func() { s.explorations.Delete(name) }, nil
}

// EndExploration ends an exploration early.
func (s *explorer) EndExploration(_ context.Context, in *controlv1.EndExplorationRequest) (*controlv1.EndExplorationResponse, error) {
	found, known := s.explorations.Load(in.GetExploration())
	if !known {
		return nil, explorationUnknown.Refuse(in.GetExploration())
	}
	found.(*atomic.Bool).Store(true)
	return &controlv1.EndExplorationResponse{}, nil
}

// useCorpus reads the corpus of a request, and tells the client which of its runs do not fit. It makes the exploration say which
// findings no longer fail, and send further runs.
func useCorpus(c *campaign.Config, in *controlv1.ExploreRequest, tell *progress) error {
	for _, r := range in.GetCorpus() {
		file, err := schedule.Read([]byte(r.GetSchedule()))
		if err == nil {
			err = c.AddRecorded(r.GetName(), file, campaign.Named(file, c.Setup.Principal))
		}
		if err == nil {
			continue
		}
		skipped := &controlv1.ExploreSkipped{Name: r.GetName(), Reason: err.Error()}
		if err := tell.out.send(&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Skipped{Skipped: skipped}}); err != nil {
			return err
		}
	}
	c.Passed = func(name, reason string) {
		passed := &controlv1.ExplorePassed{Name: name, Reason: reason}
		_ = tell.out.send(&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Passed{Passed: passed}}) // the outbox ends the exploration
	}
	if !in.GetKeep() {
		return nil
	}
	c.Keep = func(file *schedule.File) {
		text, err := schedule.Write(file)
		if err != nil {
			return // the file has been made from valid values, and the run stays in the exploration
		}
		tell.recorded++
		recorded := &controlv1.ExploreRecorded{Schedule: string(text), Finding: file.Property != schedule.NewCoverage}
		_ = tell.out.send(&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Recorded{Recorded: recorded}}) // the outbox ends the exploration
	}
	return nil
}
