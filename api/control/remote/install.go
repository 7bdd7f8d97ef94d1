package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Progress is told how many bytes have been sent or received so far.
type Progress func(bytes int64)

func (p Progress) tell(bytes int64) {
	if p != nil {
		p(bytes)
	}
}

// Install sends a module of any size and returns when it is installed. A module that a canister of the daemon has need not be
// sent: head has its hash then, and module is nil.
func (d *Daemon) Install(ctx context.Context, head *controlv1.InstallHead, module io.Reader, progress Progress) (*controlv1.InstallCodeResponse, error) {
	return d.InstallWithDebugInfo(ctx, head, module, DebugInfo{}, progress)
}

// DebugInfo is debug information beside a module: the content of a source map, and of a file with sections .debug_*. nil:
// there is none.
type DebugInfo struct{ SourceMap, DebugFile []byte }

// InstallWithDebugInfo is [Daemon.Install] with the debug information of the module.
func (d *Daemon) InstallWithDebugInfo(
	ctx context.Context, head *controlv1.InstallHead, module io.Reader, debug DebugInfo, progress Progress,
) (*controlv1.InstallCodeResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.Canisters.InstallCode(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: head}}); err != nil {
		return answered(stream.CloseAndRecv())(err)
	}
	err = errors.Join(
		chunks(bytes.NewReader(debug.SourceMap), nil, func(chunk []byte) error {
			return stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_SourceMap{SourceMap: chunk}})
		}),
		chunks(bytes.NewReader(debug.DebugFile), nil, func(chunk []byte) error {
			return stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_DebugFile{DebugFile: chunk}})
		}),
		chunks(module, progress, func(chunk []byte) error {
			return stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: chunk}})
		}),
	)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	return stream.CloseAndRecv()
}

// answered returns the daemon's reason if sending ended because it had answered, or else the error of sending.
func answered[T any](response T, err error) func(sending error) (T, error) {
	return func(sending error) (T, error) {
		if errors.Is(sending, io.EOF) {
			return response, err
		}
		return response, sending
	}
}

// nextChunk is the size of the next chunk of r: what is left of it, if it is in memory. A chunk is cleared before it is read.
func nextChunk(r io.Reader) int {
	if content, ok := r.(*bytes.Reader); ok {
		return min(content.Len(), chunkBytes)
	}
	return chunkBytes
}

// chunks sends the content of r, if there is one, in chunks. It passes on io.EOF of send: the daemon has answered before the end.
func chunks(r io.Reader, progress Progress, send func([]byte) error) error {
	if r == nil {
		return nil
	}
	sent := int64(0)
	for {
		chunk := make([]byte, nextChunk(r))
		if len(chunk) == 0 {
			return nil
		}
		n, err := io.ReadFull(r, chunk)
		if n > 0 {
			if err := send(chunk[:n]); err != nil {
				return err
			}
			sent += int64(n)
			progress.tell(sent)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}
