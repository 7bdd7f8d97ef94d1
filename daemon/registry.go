package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon/instance"
)

// registry is the instances of a daemon by name, and the leases they are bound to.
type registry struct {
	mu        sync.RWMutex
	instances map[string]*member
	reserved  map[string]bool // names of instances that are being made
	leases    map[string]map[string]*member
	most      int // instances
	chosen    int // names the daemon has given
	closed    bool
}

func newRegistry(most int) registry {
	return registry{most: cmp.Or(most, MaxInstances), instances: make(map[string]*member), reserved: make(map[string]bool), leases: make(map[string]map[string]*member)}
}

// get is an instance, nil where there is none.
func (r *registry) get(name string) *member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.instances[cmp.Or(name, instance.Default)]
}

// all are all instances by name.
func (r *registry) all() []control.Instance {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]control.Instance, 0, len(r.instances))
	for _, i := range r.instances {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b control.Instance) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// reserve keeps a name for an instance that is being made: the one asked for, or one
// that is free.
func (r *registry) reserve(to *instance.Placement) (name string, err error) {
	if err := checkName("instance", to.Name); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := func(name string) bool { return r.instances[name] != nil || r.reserved[name] }
	switch {
	case r.closed:
		return "", instance.Stopping.Refuse()
	case taken(to.Name):
		return "", instance.InstanceExists.Refuse(to.Name)
	case len(r.instances)+len(r.reserved) >= r.most:
		return "", instance.TooManyInstances.Refuse(r.most)
	case to.Lease != "" && r.leases[to.Lease] == nil:
		return "", instance.UnknownLease.Refuse(to.Lease)
	}
	for name = to.Name; name == "" || to.Name == "" && taken(name); {
		r.chosen++
		name = fmt.Sprintf("instance-%d", r.chosen)
	}
	r.reserved[name] = true
	return name, nil
}

// release gives back a name for which no instance was made.
func (r *registry) release(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reserved, name)
}

// put adds an instance under its reserved name. The error says that it was too late:
// the name is free again and the instance still the caller's.
func (r *registry) put(i *member) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reserved, i.name)
	lease := i.about.Lease
	switch {
	case r.closed:
		return instance.Stopping.Refuse()
	case lease != "" && r.leases[lease] == nil:
		return instance.UnknownLease.Refuse(lease)
	case lease != "":
		r.leases[lease][i.name] = i
	}
	r.instances[i.name] = i
	return nil
}

// take removes an instance, nil where there is none: it is the caller's then.
func (r *registry) take(name string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	name = cmp.Or(name, instance.Default)
	i := r.instances[name]
	if i != nil {
		delete(r.instances, name)
		if bound := r.leases[i.about.Lease]; bound != nil {
			delete(bound, name)
		}
	}
	return i
}

// lease is a new lease.
func (r *registry) lease() (id string) {
	id = rand.Text()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases[id] = make(map[string]*member)
	return id
}

// expire ends a lease: the instances bound to it are the caller's to close.
func (r *registry) expire(id string) (bound []*member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, i := range r.leases[id] {
		delete(r.instances, name)
		bound = append(bound, i)
	}
	delete(r.leases, id)
	return bound
}

// shut makes the registry take no more instances, and gives those that are there.
func (r *registry) shut() (all []*member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, i := range r.instances {
		all = append(all, i)
	}
	clear(r.instances)
	clear(r.leases)
	return all
}

// checkName refuses a name that no instance and no snapshot may have; field is where
// it was given.
func checkName(field, name string) error {
	if name == "" || validInstanceName(name) {
		return nil
	}
	return instance.BadField.Refuse(field, fmt.Sprintf("%.100q", name), "take 1 to 64 of a-z, 0-9, - and _, beginning with a letter, or nothing for a name the daemon chooses")
}

// validInstanceName reports whether an instance may have a name.
func validInstanceName(name string) bool {
	if name == "" || len(name) > maxNameBytes || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// Instance is the instance with a name; "" is the default one.
func (d *Daemon) Instance(name string) (control.Instance, error) {
	if i := d.instances.get(name); i != nil {
		return i, nil
	}
	return nil, instance.UnknownInstance.Refuse(cmp.Or(name, instance.Default))
}

// Instances are all instances by name.
func (d *Daemon) Instances() []control.Instance { return d.instances.all() }

// admit reserves a name, makes the instance with it and adds it.
func (d *Daemon) admit(ctx context.Context, to *instance.Placement, make func(name string) (*startConfig, error)) (*member, error) {
	name, err := d.instances.reserve(to)
	if err != nil {
		return nil, err
	}
	f, err := make(name)
	if err != nil {
		d.instances.release(name)
		return nil, err
	}
	f.name, f.listen, f.about.Lease = name, to.Listen, to.Lease
	i, err := d.startInstance(ctx, f)
	if err != nil {
		d.instances.release(name)
		return nil, errors.Join(err, d.engines.leave(f.engine))
	}
	if err := d.instances.put(i); err != nil {
		return nil, errors.Join(err, d.closeInstance(i))
	}
	return i, nil
}

// closeInstance closes an instance that was removed from the registry.
func (d *Daemon) closeInstance(i *member) error {
	return errors.Join(i.close(), d.engines.leave(i.engine))
}

// Delete ends an instance and gives back everything it has.
func (d *Daemon) Delete(name string) error {
	i := d.instances.take(name)
	if i == nil {
		return instance.UnknownInstance.Refuse(cmp.Or(name, instance.Default))
	}
	d.log.Debug("deleted", "instance", i.name)
	return d.closeInstance(i)
}

// Lease is a new lease; end deletes the instances that are bound to it.
func (d *Daemon) Lease() (id string, end func()) {
	id = d.instances.lease()
	return id, func() {
		for _, i := range d.instances.expire(id) {
			d.log.Info("deleted with its lease", "instance", i.name)
			if err := d.closeInstance(i); err != nil {
				i.log.Error("deleting the instance", "error", err)
			}
		}
	}
}
