package remote

import (
	"context"
	"errors"
	"fmt"
	"io"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Export writes an instance, or a snapshot of it, to one file.
func (d *Daemon) Export(ctx context.Context, request *controlv1.ExportInstanceRequest, w io.Writer, progress Progress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.Instances.ExportInstance(ctx, request)
	if err != nil {
		return err
	}
	written := int64(0)
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		n, err := w.Write(part.GetChunk())
		if err != nil {
			return fmt.Errorf("writing the instance: %w", err)
		}
		written += int64(n)
		progress.tell(written)
	}
}

// Import makes an instance from a file of Export.
func (d *Daemon) Import(ctx context.Context, options *controlv1.ImportOptions, r io.Reader, progress Progress) (*controlv1.Instance, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.Instances.ImportInstance(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Options{Options: options}}); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	err = chunks(r, progress, func(chunk []byte) error {
		return stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: chunk}})
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the instance: %w", err)
	}
	response, err := stream.CloseAndRecv()
	return response.GetInstance(), err
}
