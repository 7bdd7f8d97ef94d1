package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/deploy"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// keepGoTest writes the Go test of an exploration. The test runs in a network in which only the project is deployed, so
// keepGoTest explores such a network, too. If a finding is missing there, a note and a comment in the test say so.
func (c *cli) keepGoTest(ctx context.Context, d *remote.Daemon, f *exploreFlags, in *controlv1.ExploreRequest, r *controlv1.ExploreReport) error {
	if err := c.writeGoTest(f, in, r, ""); err != nil {
		return err
	}
	if len(r.GetFindings()) == 0 {
		return nil
	}
	missed, err := c.missedFresh(ctx, d, in, r)
	if err != nil {
		missed = fmt.Sprintf("on a fresh deployment of the project the exploration fails (%v)", err)
	}
	if missed == "" {
		return nil
	}
	c.note("note: %s does not show the bug: %s", f.goTest, missed)
	return c.writeGoTest(f, in, r, missed)
}

// missedFresh says which findings a fresh deployment does not reproduce, "" if it reproduces all.
func (c *cli) missedFresh(ctx context.Context, d *remote.Daemon, in *controlv1.ExploreRequest, r *controlv1.ExploreReport) (string, error) {
	fresh, err := c.exploreFresh(ctx, d, in)
	if err != nil {
		return "", err
	}
	suspicions := !slices.ContainsFunc(r.GetFindings(), violation) // they count only if nothing else was found
	var missed []string
	for _, f := range r.GetFindings() {
		same := func(o *controlv1.ExploreFinding) bool {
			return o.GetProperty() == f.GetProperty() && o.GetMethod() == f.GetMethod() && o.GetSuspicion() == f.GetSuspicion()
		}
		if (violation(f) || suspicions) && !slices.ContainsFunc(fresh.GetFindings(), same) {
			missed = append(missed, f.GetProperty())
		}
	}
	if len(missed) == 0 {
		return "", nil
	}
	return fmt.Sprintf("an exploration of a fresh deployment of the project does not find %s. The state of instance %s is another: make it with --before, or with init in %s",
		strings.Join(slices.Compact(missed), ", "), c.instanceName(), project.File), nil
}

// exploreFresh repeats an exploration on a fresh deployment of the project.
func (c *cli) exploreFresh(ctx context.Context, d *remote.Daemon, in *controlv1.ExploreRequest) (report *controlv1.ExploreReport, err error) {
	err = c.onFresh(ctx, d, func(fresh *cli, ids names) error {
		report, err = fresh.runExploration(ctx, d, c.retarget(in, fresh.instance, ids), 0, nil)
		return err
	})
	return report, err
}

// onFresh deploys the project to an instance that it deletes afterwards. Do gets a cli for this instance and the ids of the
// canisters.
func (c *cli) onFresh(ctx context.Context, d *remote.Daemon, do func(fresh *cli, ids names) error) error {
	made, err := d.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Ephemeral: true})
	if err != nil {
		return err
	}
	fresh := *c
	fresh.instance, fresh.deployed = made.GetInstance().GetName(), nil
	defer func() {
		// The context may be canceled. If this fails, the instance ends with the daemon.
		_, _ = d.Instances.DeleteInstance(context.WithoutCancel(ctx), &controlv1.DeleteInstanceRequest{Instance: fresh.instance})
	}()
	ids, err := fresh.deployFresh(ctx, d, projectFolder(c))
	if err != nil {
		return err
	}
	return do(&fresh, ids)
}

// deployFresh deploys a project to an instance without canisters of it, and leaves their ids out of the folder.
func (c *cli) deployFresh(ctx context.Context, d *remote.Daemon, folder string) (names, error) {
	p, err := c.readProject(folder)
	if err != nil {
		return nil, err
	}
	sender, err := c.sender()
	if err != nil {
		return nil, err
	}
	return deploy.Target{Daemon: d, Instance: c.instance, Sender: sender, Principals: c.known().ownIdentities()}.Fresh(ctx, p)
}

// retarget returns a copy of a request for another instance, in which the canisters have other ids.
func (c *cli) retarget(in *controlv1.ExploreRequest, instance string, ids names) *controlv1.ExploreRequest {
	out := proto.CloneOf(in)
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if old := c.known().ids[name]; old != "" {
			pairs = append(pairs, old, ids[name])
		}
	}
	replaceStrings(out.ProtoReflect(), strings.NewReplacer(pairs...))
	out.Instance, out.Snapshot, out.ExternalWorkers, out.Html, out.Corpus, out.Keep = instance, "", false, false, nil, false
	out.Names = c.known().ownIdentities()
	maps.Copy(out.Names, ids)
	return out
}

// replaceStrings applies a replacer to all strings in a message.
func replaceStrings(m protoreflect.Message, by *strings.Replacer) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch kind := field.Kind(); {
		case field.IsMap():
		case field.IsList() && (kind == protoreflect.StringKind || kind == protoreflect.MessageKind):
			for i := range value.List().Len() {
				if kind == protoreflect.MessageKind {
					replaceStrings(value.List().Get(i).Message(), by)
				} else {
					value.List().Set(i, protoreflect.ValueOfString(by.Replace(value.List().Get(i).String())))
				}
			}
		case kind == protoreflect.StringKind:
			m.Set(field, protoreflect.ValueOfString(by.Replace(value.String())))
		case kind == protoreflect.MessageKind:
			replaceStrings(value.Message(), by)
		}
		return true
	})
}
