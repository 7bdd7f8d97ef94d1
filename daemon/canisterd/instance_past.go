package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// forkAt makes a request one for a fork of the past, unless no moment is given.
func (c *cli) forkAt(ctx context.Context, d *remote.Daemon, request *controlv1.ForkInstanceRequest, text string) error {
	if text == "" {
		return nil
	}
	if request.Pacing == nil {
		request.Pacing = &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
	}
	if height, err := strconv.ParseUint(text, 10, 63); err == nil {
		request.At = &controlv1.ForkInstanceRequest_Height{Height: height}
		return nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		request.At = &controlv1.ForkInstanceRequest_Time{Time: timestamppb.New(at)}
		return nil
	}
	prefix, err := requestPrefix(text)
	if err != nil {
		return fmt.Errorf("invalid --at %q: expected a round, such as 42, a time, such as 2030-01-01T00:00:00Z, or the id of a request", text)
	}
	id, err := c.requestOf(ctx, d, prefix)
	request.At = &controlv1.ForkInstanceRequest_BeforeRequest{BeforeRequest: id}
	return err
}
