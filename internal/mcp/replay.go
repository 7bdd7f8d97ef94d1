package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/internal/control/report"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/regular"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// replayInput is what replay takes.
type replayInput struct {
	Schedule string            `json:"schedule" jsonschema:"path that explore answered with, such as explore/vault-paidOut-100.yaml"`
	Folder   string            `json:"folder,omitempty" jsonschema:"as for deploy; default: what was deployed when it was found"`
	Modules  []string          `json:"modules,omitempty" jsonschema:"as for deploy"`
	Init     map[string]string `json:"init,omitempty" jsonschema:"as for deploy"`
	States   bool              `json:"states,omitempty" jsonschema:"add what each message changed"`
	detailed
}

// replay deploys the modules of a finding as they are now to an instance of its own, makes the calls that were made before
// it was found, and runs its schedule.
func (s *Server) replay(ctx context.Context, in replayInput) (text string, err error) {
	found, err := s.finding(in.Schedule)
	if err != nil {
		return "", err
	}
	from, made := source{folder: in.Folder, modules: in.Modules, init: in.Init}, found.of
	if made == nil {
		made = &deployment{}
	} else if in.Folder == "" && len(in.Modules) == 0 {
		from = made.source
	}
	instance, err := s.create(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, instance)) }()
	ids, err := s.deployTo(ctx, instance, from)
	if err != nil {
		return "", err
	}
	n := &names{instance: instance, ids: ids, principals: s.Principals, sender: s.Sender}
	if err := s.repeat(ctx, n, made.calls); err != nil {
		return "", err
	}
	r, err := s.Daemon.Explorer.ReplaySchedule(ctx, &controlv1.ReplayScheduleRequest{
		Instance: instance, Schedule: found.schedule, Names: n.all(), IncludeMoments: in.States,
	})
	if err != nil {
		return "", err
	}
	text = report.Replay(r)
	if r.GetOutcome() == controlv1.ReplayOutcome_REPLAY_OUTCOME_FIXED {
		text += "instances that were deployed before run the old modules: deploy, then explore again\n"
	}
	if made.moved {
		text += "the instance was also changed by time or state: the replay repeats only its calls\n"
	}
	if in.States {
		text += report.States(r, n.name, short)
	}
	return text, nil
}

// finding returns a finding that the server remembers, or the schedule of a file in its folder.
func (s *Server) finding(path string) (*finding, error) {
	s.mu.Lock()
	for _, f := range s.findings {
		if f.file == filepath.ToSlash(filepath.Clean(path)) {
			s.mu.Unlock()
			return f, nil
		}
	}
	s.mu.Unlock()
	folder, err := s.inside(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%w (explore answers with the paths of schedules)", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the file is read
	text, err := regular.ReadIn(root, filepath.Base(path), maxScheduleFile)
	if err != nil {
		return nil, fmt.Errorf("reading the schedule: %w (explore answers with the paths of schedules)", err)
	}
	if _, err := schedule.Read(text); err != nil { // other files are not for tools to show
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &finding{file: path, schedule: string(text)}, nil
}

// repeat makes calls again that were made in another instance.
func (s *Server) repeat(ctx context.Context, n *names, calls []string) error {
	operations, err := operationsOf(calls, n)
	if err != nil {
		return err
	}
	for _, o := range operations {
		if _, err := s.perform(ctx, n, o, false); err != nil {
			return fmt.Errorf("repeating %s: %w", o.GetTitle(), err)
		}
	}
	return nil
}
