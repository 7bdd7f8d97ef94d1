package control

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// Reasons of files of instances.
var (
	// notNow takes the reason.
	notNow = reason("NOT_EXPORTABLE_NOW", codes.FailedPrecondition, "%v").advise("end the round first (Clock.RunRounds); for a snapshot within a round, fork it, end the round in the fork, and export that")
	// fileDamaged takes the damage and its place, the section and the byte.
	fileDamaged = reason("FILE_DAMAGED", codes.DataLoss, "the file is damaged: %v", "", "section", "offset")
	// fileNewer takes the version.
	fileNewer = reason("FILE_NEWER", codes.FailedPrecondition, "%v", "", "version")
	// fileOther takes the error.
	fileOther = reason("FILE_OF_SOMETHING_ELSE", codes.InvalidArgument, "%v")
)

// ExportInstance streams an instance, a snapshot of it, or its journal, as one file. The instance continues meanwhile:
// it sends a fork of it, or a copy of its state directory.
func (s *instances) ExportInstance(in *controlv1.ExportInstanceRequest, stream grpc.ServerStreamingServer[controlv1.ExportInstanceResponse]) error {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return err
	}
	file := bufio.NewWriterSize(chunkWriter{stream}, ChunkBytes)
	switch {
	case !in.GetJournal():
		err = exportNetwork(stream.Context(), i, in.GetSnapshot(), file)
	case in.GetSnapshot() != "":
		return BadField.Refuse("snapshot", in.GetSnapshot(), "a journal is that of the instance: leave one of the two out")
	default:
		err = i.ExportJournal(stream.Context(), file)
	}
	if err != nil {
		return err
	}
	return file.Flush()
}

// exportNetwork writes a snapshot of an instance, or its present.
func exportNetwork(ctx context.Context, i *instance.Instance, snapshot string, to io.Writer) error {
	network, err := i.Frozen(ctx, snapshot)
	if err != nil {
		return err
	}
	defer network.Close()
	err = network.Export(to)
	if errors.Is(err, replica.ErrBusy) {
		return notNow.Refuse(err)
	}
	return err
}

// chunkWriter sends the bytes that are written to it.
type chunkWriter struct {
	stream grpc.ServerStreamingServer[controlv1.ExportInstanceResponse]
}

// Write sends one message for each ChunkBytes.
func (w chunkWriter) Write(p []byte) (sent int, err error) {
	for sent < len(p) {
		chunk := bytes.Clone(p[sent:min(len(p), sent+ChunkBytes)]) // the stream may keep it; p is the writer's
		if err := w.stream.Send(&controlv1.ExportInstanceResponse{Chunk: chunk}); err != nil {
			return sent, err
		}
		sent += len(chunk)
	}
	return sent, nil
}

// ImportInstance makes an instance from a file of ExportInstance.
func (s *instances) ImportInstance(stream grpc.ClientStreamingServer[controlv1.ImportInstanceRequest, controlv1.ImportInstanceResponse]) error {
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) || err == nil && first.GetOptions() == nil {
		return MissingField.Refuse("options", "the first message has the options, the others chunks of the file")
	}
	if err != nil {
		return err
	}
	spec, err := importOf(first.GetOptions())
	if err != nil {
		return err
	}
	file := &chunkReader{receive: stream.Recv}
	made, err := s.registry.Import(stream.Context(), spec, file)
	if err != nil {
		return importFault(stream.Context(), file, err)
	}
	return stream.SendAndClose(&controlv1.ImportInstanceResponse{Instance: describe(made)})
}

func importOf(in *controlv1.ImportOptions) (*instance.ImportSpec, error) {
	spec := &instance.ImportSpec{
		Placement: instance.Placement{Name: in.GetInstance(), Listen: in.GetHttpListen(), Lease: in.GetLease(), Ephemeral: in.GetEphemeral()}, StateDir: in.GetStateDir(),
		Reach: instance.OutcallReach{Local: in.GetOutcallsLocal(), Targets: in.GetOutcallTargets()},
	}
	var err error
	if spec.Pacing, err = readPacing(in.GetPacing()); err != nil {
		return nil, err
	}
	spec.Outcalls, err = outcallsOf(in.GetOutcalls())
	return spec, err
}

// importFault describes the fault of a file, if that made the import fail; a client that left or sent no file is not
// the file's fault.
func importFault(ctx context.Context, file *chunkReader, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if file.err != nil && !errors.Is(file.err, io.EOF) {
		return file.err
	}
	if newer, ok := errors.AsType[*archive.NewerError](err); ok {
		return fileNewer.Refuse(newer, newer.Version)
	}
	if errors.Is(err, archive.ErrNoArchive) {
		return fileOther.Refuse(archive.ErrNoArchive)
	}
	if fault, ok := errors.AsType[*archive.Fault](err); ok {
		return fileDamaged.Refuse(fault, fault.Section, fault.Offset)
	}
	return err
}

// chunkReader reads the bytes that a client sends after its options.
type chunkReader struct {
	receive func() (*controlv1.ImportInstanceRequest, error)
	rest    []byte
	err     error // the end of the stream
}

// Read reads from the present chunk, or the next.
func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		message, err := r.receive()
		switch {
		case err != nil:
			r.err = err
		case message.GetOptions() != nil:
			r.err = BadField.Refuse("options", "in a later message", "only the first has them")
		default:
			r.rest = message.GetChunk()
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
