package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// instances is the service Instances.
type instances struct {
	controlv1.UnimplementedInstancesServer
	*Server
}

// CreateInstance makes a network.
func (s *instances) CreateInstance(ctx context.Context, in *controlv1.CreateInstanceRequest) (*controlv1.CreateInstanceResponse, error) {
	spec, err := specOf(in)
	if err != nil {
		return nil, err
	}
	made, err := s.registry.Create(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &controlv1.CreateInstanceResponse{Instance: describe(made)}, nil
}

// ListInstances returns the instances by name, in pages.
func (s *instances) ListInstances(_ context.Context, in *controlv1.ListInstancesRequest) (*controlv1.ListInstancesResponse, error) {
	all := s.registry.Instances()
	page, next, err := pageOf(all, (*instance.Instance).Name, in.GetPageSize(), in.GetPageToken())
	if err != nil {
		return nil, err
	}
	out := &controlv1.ListInstancesResponse{NextPageToken: next}
	for _, i := range page {
		out.Instances = append(out.Instances, describe(i))
	}
	return out, nil
}

// GetInstance describes one instance.
func (s *instances) GetInstance(ctx context.Context, in *controlv1.GetInstanceRequest) (*controlv1.GetInstanceResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	described := describe(i)
	if i.Driver().Bug() == nil {
		if described.Census, err = census(ctx, i); err != nil {
			return nil, err
		}
	}
	out := &controlv1.GetInstanceResponse{Instance: described, DaemonVersion: s.version, SpecificationVersion: replica.SpecificationVersion}
	if in.GetLimits() {
		out.Limits = networkLimits()
	}
	return out, nil
}

// DeleteInstance ends an instance.
func (s *instances) DeleteInstance(_ context.Context, in *controlv1.DeleteInstanceRequest) (*controlv1.DeleteInstanceResponse, error) {
	if err := s.registry.Delete(in.GetInstance()); err != nil {
		return nil, err
	}
	return &controlv1.DeleteInstanceResponse{}, nil
}

// pageOf returns a page of a list that is sorted by its keys, and the token of the next: the last key of this one.
func pageOf[T any](all []T, key func(T) string, size uint32, token string) (page []T, next string, err error) {
	if size > MaxPage {
		return nil, "", BadField.Refuse("page_size", size, fmt.Sprintf("expected at most %d, or 0 for %d", MaxPage, DefaultPage))
	}
	from, found := slices.BinarySearchFunc(all, token, func(e T, after string) int { return cmp.Compare(key(e), after) })
	if found && token != "" {
		from++
	}
	page = all[from:]
	if most := int(cmp.Or(size, DefaultPage)); len(page) > most {
		page = page[:most]
		next = key(page[most-1])
	}
	return page, next, nil
}
