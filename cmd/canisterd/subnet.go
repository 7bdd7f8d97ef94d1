package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// subnetKinds returns the kinds of subnets for users.
func subnetKinds() []string { return enumNames(controlv1.SubnetKind_name, "SUBNET_KIND_") }

// kindNamed parses a kind as `canisterd start` does: in any case, with or without underscores.
func kindNamed(name string) (controlv1.SubnetKind, bool) {
	bare := func(text string) string { return strings.ReplaceAll(text, "_", "") }
	k := slices.IndexFunc(subnetKinds(), func(kind string) bool { return strings.EqualFold(bare(name), bare(kind)) })
	return controlv1.SubnetKind(k + 1), k >= 0
}

// subnetOf returns the id of a subnet that is given by its id, or by its kind if the instance has one of that kind; ""
// for none.
func (c *cli) subnetOf(ctx context.Context, d *remote.Daemon, text string) (string, error) {
	kind, is := kindNamed(text)
	if !is {
		if _, err := principal.Parse(text); text != "" && err != nil {
			return "", fmt.Errorf("%q is neither the kind nor the id of a subnet (canisterd instance show)%s", text, reference.WhyNoPrincipal(text))
		}
		return text, nil
	}
	subnets, err := c.subnets(ctx, d)
	if err != nil {
		return "", err
	}
	subnets = slices.DeleteFunc(subnets, func(s *controlv1.Subnet) bool { return s.GetKind() != kind })
	switch len(subnets) {
	case 0:
		return "", fmt.Errorf("instance %s has no subnet of kind %s (canisterd instance show)", c.instanceName(), text)
	case 1:
		return subnets[0].GetSubnetId(), nil
	default:
		return "", fmt.Errorf("instance %s has %s of kind %s: select one by its id (canisterd instance show)", c.instanceName(), count(uint64(len(subnets)), "subnet"), text)
	}
}

func (c *cli) subnets(ctx context.Context, d *remote.Daemon) ([]*controlv1.Subnet, error) {
	got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
	return got.GetInstance().GetSubnets(), err
}

// errSeveral is for a number that several subnets have: each numbers its own.
func errSeveral(what string, n uint64) error {
	return fmt.Errorf("several subnets have a %s %d: select one with --subnet", what, n)
}

// waitingCall returns a waiting call by its number. Without a subnet, only one may have that number.
func (c *cli) waitingCall(ctx context.Context, d *remote.Daemon, subnet string, number uint64) (*controlv1.CallRef, error) {
	subnet, err := c.subnetOf(ctx, d, subnet)
	if err != nil || subnet != "" {
		return &controlv1.CallRef{SubnetId: subnet, CallId: number}, err
	}
	var found *controlv1.CallRef
	for page := (&controlv1.Page{}); ; {
		r, err := d.Messages.ListFutures(ctx, &controlv1.ListFuturesRequest{Instance: c.instance, Page: page})
		if err != nil {
			return nil, err
		}
		for _, f := range r.GetFutures() {
			switch call := f.GetCall(); {
			case call.GetCallId() != number:
			case found != nil:
				return nil, errSeveral("call", number)
			default:
				found = call
			}
		}
		if r.GetNextPageToken() != "" {
			page = &controlv1.Page{Token: r.GetNextPageToken()}
			continue
		}
		if found == nil {
			return nil, fmt.Errorf("no open call %d (canisterd futures)", number)
		}
		return found, nil
	}
}

// traced requests a call tree. Without a subnet, only one may have a call context with that number.
func (c *cli) traced(ctx context.Context, d *remote.Daemon, request *controlv1.GetTraceRequest, subnet string, number uint64) (*controlv1.GetTraceResponse, error) {
	if number == 0 {
		return d.Events.GetTrace(ctx, request)
	}
	ask := func(subnet string) (*controlv1.GetTraceResponse, error) {
		request.Of = &controlv1.GetTraceRequest_Context{Context: &controlv1.ContextRef{SubnetId: subnet, ContextId: number}}
		return d.Events.GetTrace(ctx, request)
	}
	subnet, err := c.subnetOf(ctx, d, subnet)
	if err != nil {
		return nil, err
	}
	if subnet != "" {
		return ask(subnet)
	}
	all, err := c.subnets(ctx, d)
	if err != nil {
		return nil, err
	}
	var found *controlv1.GetTraceResponse
	var none error
	for _, s := range all {
		got, err := ask(s.GetSubnetId())
		switch {
		case remote.Code(err) == codes.NotFound:
			none = err
		case err != nil:
			return nil, err
		case found != nil:
			return nil, errSeveral("call context", number)
		default:
			found = got
		}
	}
	if found == nil {
		return nil, none
	}
	return found, nil
}
