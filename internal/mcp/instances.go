package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/deploy"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// source is what was deployed: a folder with a project, or modules of it.
type source struct {
	folder  string            // relative to the server's folder
	modules []string          // files in it; none: the project of the folder
	init    map[string]string // arguments of the modules by canister
}

// String describes it for people.
func (f source) String() string {
	if len(f.modules) > 0 {
		return strings.Join(f.modules, ", ")
	}
	return cmp.Or(f.folder, "the project")
}

// deployment is what the server knows of an instance that it made.
type deployment struct {
	instance string
	source   source
	ids      map[string]string // of canisters by name
	calls    []string          // operations that changed the state since, in order
	moved    bool              // something else changed the state: time, a restore
}

// shownInstance returns the name of an instance for people.
func shownInstance(name string) string { return cmp.Or(name, "default") }

// deploymentOf returns what is known of an instance; nil if another program made it.
func (s *Server) deploymentOf(instance string) *deployment {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deployed {
		if d.instance == instance {
			return d
		}
	}
	return nil
}

// instanceOf returns the instance that a tool uses: the given one, or the one deployed last, or the daemon's default one.
func (s *Server) instanceOf(given string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if given == "" && len(s.deployed) > 0 {
		return s.deployed[len(s.deployed)-1].instance
	}
	return given
}

// remember adds a deployment, and returns the one that is too many.
func (s *Server) remember(d *deployment) (dropped *deployment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deployed = append(s.deployed, d); len(s.deployed) > maxInstances {
		dropped, s.deployed = s.deployed[0], s.deployed[1:]
	}
	return dropped
}

// forget removes what is known of an instance.
func (s *Server) forget(instance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deployed = slices.DeleteFunc(s.deployed, func(d *deployment) bool { return d.instance == instance })
}

// recordCall records an operation that changed the state of an instance.
func (s *Server) recordCall(d *deployment, operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.calls = append(d.calls, operation)
}

// recordMove records that something else than a call changed the state of an instance.
func (s *Server) recordMove(instance string) {
	if d := s.deploymentOf(instance); d != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		d.moved = true
	}
}

// copyOf returns what is known of an instance for a fork of it.
func (s *Server) copyOf(of *deployment, instance string) *deployment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &deployment{instance: instance, source: of.source, ids: of.ids, calls: slices.Clone(of.calls), moved: of.moved}
}

// leaseID returns the lease to which the server's instances are bound, so that they end with it.
func (s *Server) leaseID() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease != nil {
		select {
		case <-s.lease.Lost(): // the daemon was started again
			s.lease, s.deployed = nil, nil
		default:
			return s.lease.ID(), nil
		}
	}
	lease, err := s.Daemon.HoldLease(context.Background()) // until Close
	if err != nil {
		return "", err
	}
	s.lease = lease
	return lease.ID(), nil
}

// create creates an instance that ends with the server.
func (s *Server) create(ctx context.Context, pacing *controlv1.Pacing) (string, error) {
	lease, err := s.leaseID()
	if err != nil {
		return "", err
	}
	made, err := s.Daemon.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Ephemeral: true, Lease: lease, Pacing: pacing})
	return made.GetInstance().GetName(), err
}

// fork forks an instance; the fork ends with the server.
func (s *Server) fork(ctx context.Context, instance, snapshot, name string) (string, error) {
	lease, err := s.leaseID()
	if err != nil {
		return "", err
	}
	made, err := s.Daemon.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{Instance: instance, Snapshot: snapshot, Name: name, Ephemeral: true, Lease: lease})
	return made.GetInstance().GetName(), err
}

// remove deletes an instance, also after its client has gone.
func (s *Server) remove(ctx context.Context, instance string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deletePatience)
	defer cancel()
	_, err := s.Daemon.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: instance})
	if reason, _ := remote.Reason(err); reason == unknownInstanceReason {
		return nil // the user has deleted it
	}
	return err
}

// deployTo deploys a source to an instance without canisters of it.
func (s *Server) deployTo(ctx context.Context, instance string, from source) (map[string]string, error) {
	p, err := s.project(from)
	if err != nil {
		return nil, err
	}
	return deploy.Target{Daemon: s.Daemon, Instance: instance, Sender: s.Sender, Principals: s.Principals}.Fresh(ctx, p)
}

// project reads what is deployed. Its files are inside the repository of the server's folder, or inside the folder where
// there is none.
func (s *Server) project(from source) (*project.Project, error) {
	folder, err := s.inside(from.folder)
	if err != nil {
		return nil, err
	}
	if len(from.modules) > 0 {
		return project.OfModules(folder, project.Inside, from.modules, from.init)
	}
	p, err := project.Read(folder, project.Inside)
	if err != nil {
		return nil, fmt.Errorf("%w (pass folder, or modules for a list of files)", err)
	}
	return p, nil
}

// errNoFolder is the error of tools that need files.
var errNoFolder = errors.New("the server has no project folder: run canisterd mcp, or canisterd start, in the directory of the project")

// inside returns the path of a folder that is given relative to the server's folder. It must be where that folder's project
// may name files.
func (s *Server) inside(folder string) (string, error) {
	if s.Folder == "" {
		return "", errNoFolder
	}
	top, err := project.Boundary(s.Folder)
	if err != nil {
		return "", err
	}
	path := folder
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Folder, folder)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("no folder %s in %s: %w", folder, s.Folder, errors.Unwrap(err))
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", err
	}
	if rest, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rest) {
		return "", fmt.Errorf("%s is outside %s: copy what you need there", folder, top)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory: pass its directory as folder, and the file in modules", folder)
	}
	return real, nil
}
