package instance

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
)

// directory is the instances of a registry by name, and the leases they are bound to.
type directory struct {
	mu        sync.RWMutex // guards what follows
	instances map[string]*Instance
	reserved  map[string]bool  // names of instances that are being made: whether they will be kept
	damaged   map[string]error // kept instances that could not be started, with why
	leases    map[string]map[string]*Instance
	most      int // instances
	mostKept  int // of them on disk
	chosen    int // names the daemon has given
	closed    bool
}

func newDirectory(most, kept int) directory {
	return directory{most: cmp.Or(most, MaxInstances), mostKept: cmp.Or(kept, MaxKept), instances: make(map[string]*Instance), reserved: make(map[string]bool), damaged: make(map[string]error), leases: make(map[string]map[string]*Instance)}
}

// get is an instance, nil if there is none.
func (d *directory) get(name string) *Instance {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.instances[cmp.Or(name, Default)]
}

// all are all instances by name.
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

// reserve keeps a name for an instance that is being made: the one asked for, or one
// that is free. Kept says that the instance will be kept on disk.
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

// kept is how many instances are kept on disk, with those that are being made. Needs mu.
func (d *directory) kept() (count int) {
	for _, i := range d.instances {
		if i.keeper != nil {
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

// leaveOut keeps the name of an instance that could not be started.
func (d *directory) leaveOut(name string, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.damaged[name] = why
}

// leftOut is why an instance could not be started; nil for any other name.
func (d *directory) leftOut(name string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.damaged[name]
}

// discard gives the name of an instance back that could not be started, and says whether it was one.
func (d *directory) discard(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.damaged[name] != nil
	delete(d.damaged, name)
	return was
}

// release gives back a name for which no instance was made.
func (d *directory) release(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.reserved, name)
}

// put adds an instance under its reserved name. The error says that it was too late:
// the name is free again and the instance still the caller's.
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

// take removes an instance and gives it to the caller; nil if there is none.
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

// lease is a new lease.
func (d *directory) lease() (id string) {
	id = rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leases[id] = make(map[string]*Instance)
	return id
}

// expire ends a lease: the instances bound to it are the caller's to close.
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

// shut makes the directory take no more instances, and gives those that are there.
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

// checkName refuses a name that no instance and no snapshot may have; field is where
// it was given.
func checkName(field, name string) error {
	if name == "" || validInstanceName(name) {
		return nil
	}
	return BadField.Refuse(field, fmt.Sprintf("%.100q", name), "take 1 to 64 of a-z, 0-9, - and _, beginning with a letter, or nothing for a name the daemon chooses")
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
