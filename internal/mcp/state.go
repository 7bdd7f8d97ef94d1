package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// stateInput is what state takes.
type stateInput struct {
	Do       string `json:"do" jsonschema:"snapshot, restore, fork, diff, list or delete"`
	Name     string `json:"name,omitempty" jsonschema:"the snapshot; for fork the new instance; for diff the snapshot before; for delete a snapshot, or without it the instance"`
	Snapshot string `json:"snapshot,omitempty" jsonschema:"for fork: the snapshot to fork; default: the present"`
	Instance string `json:"instance,omitempty"`
	detailed
}

// state does something with the states of instances.
func (s *Server) state(ctx context.Context, in stateInput) (string, error) {
	instance := s.instanceOf(in.Instance)
	switch in.Do {
	case "snapshot":
		taken, err := s.Daemon.Instances.TakeSnapshot(ctx, &controlv1.TakeSnapshotRequest{Instance: instance, Snapshot: in.Name})
		return "snapshot " + taken.GetSnapshot().GetName() + " of " + shownInstance(instance), err
	case "restore":
		if in.Name == "" {
			return "", errors.New("name the snapshot: state with do: list lists them")
		}
		if _, err := s.Daemon.Instances.RestoreSnapshot(ctx, &controlv1.RestoreSnapshotRequest{Instance: instance, Snapshot: in.Name}); err != nil {
			return "", err
		}
		s.recordMove(instance)
		return shownInstance(instance) + " continues from " + in.Name, nil
	case "fork":
		return s.forkState(ctx, instance, in)
	case "diff":
		return s.diff(ctx, instance, in)
	case "list":
		return s.states(ctx, instance)
	case "delete":
		return s.deleteState(ctx, instance, in)
	}
	return "", fmt.Errorf("invalid do %q: expected snapshot, restore, fork, diff, list or delete", in.Do)
}

// forkState forks an instance. The fork becomes the one that tools use.
func (s *Server) forkState(ctx context.Context, instance string, in stateInput) (string, error) {
	fork, err := s.fork(ctx, instance, in.Snapshot, in.Name)
	if err != nil {
		return "", err
	}
	made := &deployment{instance: fork, ids: s.namesOf(instance).ids, moved: true}
	if of := s.deploymentOf(instance); of != nil {
		made = s.copyOf(of, fork)
	}
	if in.Snapshot != "" {
		made.moved = true
	}
	if dropped := s.remember(made); dropped != nil {
		if err := s.remove(ctx, dropped.instance); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("instance %s, a fork of %s", fork, shownInstance(instance)), nil
}

// diff lists what differs between a snapshot of an instance and its present state.
func (s *Server) diff(ctx context.Context, instance string, in stateInput) (string, error) {
	if in.Name == "" {
		return "", errors.New("name the snapshot before: state with do: snapshot takes one")
	}
	got, err := s.Daemon.Instances.Diff(ctx, &controlv1.DiffRequest{
		Before: &controlv1.State{Instance: instance, Snapshot: in.Name}, After: &controlv1.State{Instance: instance},
	})
	if err != nil {
		return "", err
	}
	n := s.namesOf(instance)
	text := report.Differences(got, n.name, func(text string) string { return short(n.shown(text)) }, func(line string, _ bool) string { return line })
	if got.GetMore() > 0 {
		text += fmt.Sprintf("and %d more\n", got.GetMore())
	}
	return text, nil
}

// states lists the server's instances and the snapshots of one.
func (s *Server) states(ctx context.Context, instance string) (string, error) {
	got, err := s.Daemon.Instances.ListSnapshots(ctx, &controlv1.ListSnapshotsRequest{Instance: instance})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	s.mu.Lock()
	for _, d := range s.deployed {
		fmt.Fprintf(&text, "instance %s, deployed from %s\n", d.instance, d.source)
	}
	s.mu.Unlock()
	for _, one := range got.GetSnapshots() {
		fmt.Fprintf(&text, "snapshot %s of %s, at %s\n", one.GetName(), shownInstance(instance), stamp(one.GetTime()))
	}
	if text.Len() == 0 {
		return "no instance of this server, and no snapshot of " + shownInstance(instance), nil
	}
	return text.String(), nil
}

// deleteState deletes a snapshot, or without a name an instance that this server made.
func (s *Server) deleteState(ctx context.Context, instance string, in stateInput) (string, error) {
	if in.Name != "" {
		_, err := s.Daemon.Instances.DeleteSnapshot(ctx, &controlv1.DeleteSnapshotRequest{Instance: instance, Snapshot: in.Name})
		return "snapshot " + in.Name + " is deleted", err
	}
	if s.deploymentOf(instance) == nil {
		return "", fmt.Errorf("instance %s was not made by these tools: name a snapshot, or ask the user to delete the instance (canisterd instance delete)", shownInstance(instance))
	}
	if err := s.remove(ctx, instance); err != nil {
		return "", err
	}
	s.forget(instance)
	return "instance " + instance + " is deleted", nil
}
