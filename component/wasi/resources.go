package wasi

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/component"
)

// resources are the resources of a type that a program has, by the numbers that stand for them.
type resources[T any] struct {
	typ   *component.ResourceType
	items map[uint32]T
	next  uint32
}

func (r *resources[T]) resourceType() *component.ResourceType {
	r.items = map[uint32]T{}
	r.typ = &component.ResourceType{Dropped: func(_ context.Context, n uint32) { delete(r.items, n) }}
	return r.typ
}

// resource gives a program a resource.
func (r *resources[T]) resource(item T) (*component.Resource, error) {
	if len(r.items) >= maxResources {
		return nil, fmt.Errorf("the program has more than the limit of %d resources of a type", maxResources)
	}
	for taken := true; taken; _, taken = r.items[r.next] {
		r.next++
	}
	r.items[r.next] = item
	return r.typ.New(r.next), nil
}

// of gives the resource of an argument.
func (r *resources[T]) of(arg any) T { return r.items[arg.(*component.Resource).Representation()] }
