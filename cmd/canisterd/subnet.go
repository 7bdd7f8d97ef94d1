package main

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// subnetOf returns the id of a subnet that is given by its id, or by its kind if the instance has one of that kind; ""
// for none.
func (c *cli) subnetOf(ctx context.Context, d *remote.Daemon, text string) (string, error) {
	return request.Subnet(ctx, d, c.instance, text)
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
	all, err := allPages((*controlv1.ListFuturesResponse).GetFutures, func(token string) (*controlv1.ListFuturesResponse, error) {
		return d.Messages.ListFutures(ctx, &controlv1.ListFuturesRequest{Instance: c.instance, Page: &controlv1.Page{Size: pageSize, Token: token}})
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f *controlv1.Future) bool { return f.GetCall().GetCallId() != number })
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("no open call %d (canisterd futures)", number)
	case 1:
		return all[0].GetCall(), nil
	}
	return nil, errSeveral("call", number)
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
