package instance

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
)

// directory holds the instances of a registry by name, and the leases they are bound to.
type directory struct {
	mu        sync.RWMutex // guards what follows
	instances map[string]*Instance
	reserved  map[string]bool  // names of instances that are being made: true if they will be kept
	damaged   map[string]error // kept instances that could not be started, with the reason
	leases    map[string]map[string]*Instance
	most      int // limit of instances
	mostKept  int // limit of instances on disk
	chosen    int // number of names that the daemon chose
	closed    bool
}

func newDirectory(most, kept int) directory {
	return directory{most: cmp.Or(most, MaxInstances), mostKept: cmp.Or(kept, MaxKept), instances: make(map[string]*Instance), reserved: make(map[string]bool), damaged: make(map[string]error), leases: make(map[string]map[string]*Instance)}
}

// get returns an instance, nil if there is none.
func (d *directory) get(name string) *Instance {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.instances[cmp.Or(name, Default)]
}

// all returns all instances, ordered by name.
func (d *directory) all() []*Instance {
	d.mu.RLock()
	defer d.mu.RUnlock()
	all := make([]*Instance, 0, len(d.instances))
	for _, i := range d.instances {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b *Instance) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// reserve reserves a name for a new instance: the requested one, or a free one. kept means that the instance will be
// kept on disk.
func (d *directory) reserve(to *Placement, kept bool) (name string, err error) {
	if err := checkName("instance", to.Name); err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := func(name string) bool {
		_, reserved := d.reserved[name]
		return d.instances[name] != nil || reserved || d.damaged[name] != nil
	}
	switch {
	case d.closed:
		return "", Stopping.Refuse()
	case d.damaged[to.Name] != nil:
		return "", d.damaged[to.Name]
	case taken(to.Name):
		return "", InstanceExists.Refuse(to.Name)
	case len(d.instances)+len(d.reserved) >= d.most:
		return "", TooManyInstances.Refuse(d.most)
	case kept && d.kept() >= d.mostKept:
		return "", TooManyKept.Refuse(d.mostKept)
	case to.Lease != "" && d.leases[to.Lease] == nil:
		return "", UnknownLease.Refuse(to.Lease)
	}
	for name = to.Name; name == "" || to.Name == "" && taken(name); {
		d.chosen++
		name = fmt.Sprintf("instance-%d", d.chosen)
	}
	d.reserved[name] = kept
	return name, nil
}

// kept returns the number of instances on disk, including those that are being made. Needs mu.
func (d *directory) kept() (count int) {
	for _, i := range d.instances {
		if i.persister != nil {
			count++
		}
	}
	for _, kept := range d.reserved {
		if kept {
			count++
		}
	}
	return count
}

// leaveOut reserves the name of an instance that could not be started.
func (d *directory) leaveOut(name string, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.damaged[name] = why
}

// leftOut returns why an instance could not be started, nil for any other name.
func (d *directory) leftOut(name string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.damaged[name]
}

// discard releases the name of an instance that could not be started, and returns false for any other.
func (d *directory) discard(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.damaged[name] != nil
	delete(d.damaged, name)
	return was
}

// release releases the name of an instance that was not made.
func (d *directory) release(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.reserved, name)
}

// put adds an instance under its reserved name. An error means that it was too late: the name is free again and the
// caller still owns the instance.
func (d *directory) put(i *Instance) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.reserved, i.name)
	lease := i.about.Lease
	switch {
	case d.closed:
		return Stopping.Refuse()
	case lease != "" && d.leases[lease] == nil:
		return UnknownLease.Refuse(lease)
	case lease != "":
		d.leases[lease][i.name] = i
	}
	d.instances[i.name] = i
	return nil
}

// take removes an instance and returns it to the caller; nil if there is none.
func (d *directory) take(name string) *Instance {
	d.mu.Lock()
	defer d.mu.Unlock()
	name = cmp.Or(name, Default)
	i := d.instances[name]
	if i != nil {
		delete(d.instances, name)
		if bound := d.leases[i.about.Lease]; bound != nil {
			delete(bound, name)
		}
	}
	return i
}

// lease creates a lease.
func (d *directory) lease() (id string) {
	id = rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leases[id] = make(map[string]*Instance)
	return id
}

// expire ends a lease. The caller must close the instances that were bound to it.
func (d *directory) expire(id string) (bound []*Instance) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, i := range d.leases[id] {
		delete(d.instances, name)
		bound = append(bound, i)
	}
	delete(d.leases, id)
	return bound
}

// shut closes the directory to new instances, and returns the present ones.
func (d *directory) shut() (all []*Instance) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, i := range d.instances {
		all = append(all, i)
	}
	clear(d.instances)
	clear(d.leases)
	return all
}

// checkName refuses a name that is not valid for instances and snapshots; field is where it was given.
func checkName(field, name string) error {
	if name == "" || validInstanceName(name) {
		return nil
	}
	return BadField.Refuse(field, fmt.Sprintf("%.100q", name), "expected 1 to 64 of a-z, 0-9, - and _, beginning with a letter, or nothing for a name the daemon chooses")
}

// validInstanceName reports whether a name is valid for an instance.
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
