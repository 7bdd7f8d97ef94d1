package daemon

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/api/control"
)

// registry is the instances of a daemon by name.
type registry struct {
	mu        sync.RWMutex
	instances map[string]*instance
}

// Instance is the instance with a name; "" is the default one.
func (r *registry) Instance(name string) (control.Instance, error) {
	if i := r.get(name); i != nil {
		return i, nil
	}
	return nil, control.InstanceUnknown.Refuse(name)
}

// get is an instance, nil where there is none.
func (r *registry) get(name string) *instance {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.instances[cmp.Or(name, control.DefaultInstance)]
}

// Instances are all instances by name.
func (r *registry) Instances() []control.Instance {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]control.Instance, 0, len(r.instances))
	for _, i := range r.instances {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b control.Instance) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// put adds an instance.
func (r *registry) put(i *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.instances == nil {
		r.instances = make(map[string]*instance)
	}
	r.instances[i.name] = i
}

// close ends all instances.
func (r *registry) close() error {
	r.mu.Lock()
	all := r.instances
	r.instances = nil
	r.mu.Unlock()
	var errs []error
	for _, i := range all {
		errs = append(errs, i.close())
	}
	return errors.Join(errs...)
}
