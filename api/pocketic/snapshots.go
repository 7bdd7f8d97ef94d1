package pocketic

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/replica"
)

// rawSnapshot is a snapshot of a canister, and a folder on the server's machine.
type rawSnapshot struct {
	Sender   rawPrincipal   `json:"sender"`
	Canister rawCanister    `json:"canister_id"`
	Snapshot []byte         `json:"snapshot_id"`
	Replace  *rawSnapshotID `json:"replace_snapshot"`
	Folder   string         `json:"snapshot_dir"`
}

type rawSnapshotID struct {
	ID []byte `json:"snapshot_id"`
}

// The files of a folder.
const (
	snapshotMetadataFile = "metadata.json"
	snapshotModuleFile   = "wasm_module.bin"
	snapshotHeapFile     = "wasm_memory.bin"
	snapshotStableFile   = "stable_memory.bin"
	snapshotChunkFolder  = "wasm_chunk_store"
	snapshotChunkSuffix  = ".bin"
)

// snapshotTransfer moves a snapshot between a canister and a folder.
type snapshotTransfer struct {
	server           *Server
	entry            *entry
	sender, canister principal.Principal
	snapshot         []byte
	path             string   // of the folder
	folder           *os.Root // after open
}

func (s *Server) snapshotTransfer(e *entry, body []byte) (*snapshotTransfer, *rawSnapshot, error) {
	var in rawSnapshot
	if err := decode(body, &in); err != nil {
		return nil, nil, err
	}
	sender, err := readID(in.Sender.PrincipalID, "sender principal")
	if err != nil {
		return nil, nil, err
	}
	id, err := in.Canister.read()
	return &snapshotTransfer{server: s, entry: e, sender: sender, canister: id, snapshot: in.Snapshot, path: in.Folder}, &in, err
}

func snapshotError(text string) error { return failed("CanisterSnapshotError(%s)", quoted(text)) }

func badFolder(text string) error {
	return failed("InvalidCanisterSnapshotDirectory(%s)", quoted(text))
}

// downloadSnapshot serves POST update/canister_snapshot_download: it writes the snapshot to a folder, which it makes if
// needed.
func (s *Server) downloadSnapshot(ctx context.Context, e *entry, body []byte) (any, error) {
	t, _, err := s.snapshotTransfer(e, body)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(t.path, 0o700); err != nil {
		return nil, badFolder(err.Error())
	}
	if err := t.open(); err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.folder.Mkdir(snapshotChunkFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, badFolder(err.Error())
	}
	files, err := os.ReadDir(t.path)
	if err != nil {
		return nil, badFolder(err.Error())
	}
	if len(files) > 1 { // the folder for chunks
		return nil, badFolder("Snapshot directory is not empty")
	}
	var d management.SnapshotMetadata
	if err := t.manage(ctx, "read_canister_snapshot_metadata", management.SnapshotOf{Canister: t.canister, Snapshot: t.snapshot}, &d); err != nil {
		return nil, err
	}
	return nil, t.download(ctx, &d)
}

// open opens the folder. Files in it may not be links to files outside.
func (t *snapshotTransfer) open() (err error) {
	info, err := os.Stat(t.path) // opening a named pipe waits
	if err == nil && !info.IsDir() {
		return badFolder(t.path + " is not a folder")
	}
	if err == nil {
		t.folder, err = os.OpenRoot(t.path)
	}
	if err != nil {
		return badFolder(err.Error())
	}
	return nil
}

func (t *snapshotTransfer) close() { _ = t.folder.Close() } // files in it have their own errors

func (t *snapshotTransfer) download(ctx context.Context, d *management.SnapshotMetadata) error {
	described, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return snapshotError(err.Error())
	}
	if err := t.write(snapshotMetadataFile, described); err != nil {
		return err
	}
	for _, part := range []struct {
		file string
		size uint64
		kind func(management.Range) management.SnapshotRange
	}{
		{snapshotModuleFile, d.ModuleSize, func(s management.Range) management.SnapshotRange { return management.SnapshotRange{Module: &s} }},
		{snapshotHeapFile, d.HeapSize, func(s management.Range) management.SnapshotRange { return management.SnapshotRange{Heap: &s} }},
		{snapshotStableFile, d.StableSize, func(s management.Range) management.SnapshotRange { return management.SnapshotRange{Stable: &s} }},
	} {
		if part.size == 0 && part.file == snapshotStableFile {
			continue
		}
		if err := t.downloadPart(ctx, part.file, part.size, part.kind); err != nil {
			return err
		}
	}
	for i := range d.Chunks {
		content, err := t.read(ctx, management.SnapshotRange{Chunk: &d.Chunks[i]})
		if err != nil {
			return err
		}
		if err := t.write(chunkFile(&d.Chunks[i]), content); err != nil {
			return err
		}
	}
	return nil
}

// downloadPart writes a part piece by piece. Pieces of zeros are holes of the file.
func (t *snapshotTransfer) downloadPart(ctx context.Context, name string, size uint64, kind func(management.Range) management.SnapshotRange) error {
	file, err := t.create(name)
	if err != nil {
		return err
	}
	for at := uint64(0); at < size && err == nil; at += snapshotPiece {
		var piece []byte
		if piece, err = t.read(ctx, kind(management.Range{Offset: at, Size: min(snapshotPiece, size-at)})); err != nil {
			break
		}
		if len(bytes.TrimLeft(piece, "\x00")) > 0 {
			err = inFolder(writeAt(file, piece, int64(at)))
		}
	}
	if err == nil {
		err = inFolder(file.Truncate(int64(size)))
	}
	if closed := inFolder(file.Close()); err == nil {
		err = closed
	}
	return err
}

func writeAt(file *os.File, piece []byte, at int64) error {
	_, err := file.WriteAt(piece, at)
	return err
}

// inFolder returns an error of a file of the folder in PocketIC's words.
func inFolder(err error) error {
	if err == nil {
		return nil
	}
	return badFolder(err.Error())
}

// create makes a file of the folder.
func (t *snapshotTransfer) create(name string) (*os.File, error) {
	file, err := t.folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return file, inFolder(err)
}

// write makes a file of the folder with a content.
func (t *snapshotTransfer) write(name string, content []byte) error {
	file, err := t.create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return inFolder(errors.Join(err, file.Close()))
}

// chunkFile returns the name of the file of a chunk.
func chunkFile(chunk *management.ChunkHash) string {
	return filepath.Join(snapshotChunkFolder, hex.EncodeToString(chunk.Hash)+snapshotChunkSuffix)
}

// read reads a part of the snapshot.
func (t *snapshotTransfer) read(ctx context.Context, part management.SnapshotRange) ([]byte, error) {
	var piece management.SnapshotData
	err := t.manage(ctx, "read_canister_snapshot_data", management.ReadSnapshotData{Canister: t.canister, Snapshot: t.snapshot, Kind: part}, &piece)
	return piece.Chunk, err
}

// manage calls a method of the management canister as the sender and waits for its reply; into is nil if that is empty.
func (t *snapshotTransfer) manage(ctx context.Context, method string, arg, into any) error {
	raw, err := candid.Marshal(arg)
	if err != nil {
		return snapshotError(err.Error())
	}
	answer, err := t.server.call(ctx, t.entry, &preparedCall{sender: t.sender, receiver: principal.Management, method: method, payload: raw}, t.canister)
	switch {
	case err != nil:
		return err
	case answer.Reject != nil:
		return snapshotError(answer.Reject.Text)
	case into == nil:
		return nil
	}
	if err := candid.Unmarshal(answer.Reply, into); err != nil {
		return snapshotError(err.Error())
	}
	return nil
}

// call makes a call about a canister and waits for the answer.
func (s *Server) call(ctx context.Context, e *entry, o *preparedCall, about principal.Principal) (answer replica.IngressAnswer, err error) {
	if o.to, err = e.hosted(ctx, about); err != nil {
		return answer, err
	}
	id, reject, err := e.submit(ctx, o, true)
	if err != nil || reject != nil {
		return replica.IngressAnswer{Reject: reject}, err
	}
	if err := e.await(ctx, o.to.subnet, id); err != nil {
		return answer, err
	}
	if answer, err = e.answer(ctx, o.to.subnet, id); err == nil && !answer.Status.Terminal() {
		err = e.unanswered(ctx, id)
	}
	return answer, err
}

// uploadSnapshot serves POST update/canister_snapshot_upload: it makes a snapshot from a folder.
func (s *Server) uploadSnapshot(ctx context.Context, e *entry, body []byte) (any, error) {
	t, in, err := s.snapshotTransfer(e, body)
	if err != nil {
		return nil, err
	}
	if err := t.open(); err != nil {
		return nil, err
	}
	defer t.close()
	var d management.SnapshotMetadata
	described, err := regular.ReadIn(t.folder, snapshotMetadataFile, maxMetadata)
	if err == nil {
		err = json.Unmarshal(described, &d)
	}
	if err != nil {
		return nil, badFolder(err.Error())
	}
	var replaced *[]byte
	if in.Replace != nil {
		replaced = &in.Replace.ID
	}
	var made management.SnapshotID
	if err := t.manage(ctx, "upload_canister_snapshot_metadata", *d.Upload(t.canister, replaced), &made); err != nil {
		return nil, err
	}
	t.snapshot = made.ID
	return rawSnapshotID{made.ID}, t.upload(ctx, &d)
}

func (t *snapshotTransfer) upload(ctx context.Context, d *management.SnapshotMetadata) error {
	for _, part := range []struct {
		file string
		kind func(management.Place) management.SnapshotPlace
	}{
		{snapshotModuleFile, func(p management.Place) management.SnapshotPlace { return management.SnapshotPlace{Module: &p} }},
		{snapshotHeapFile, func(p management.Place) management.SnapshotPlace { return management.SnapshotPlace{Heap: &p} }},
		{snapshotStableFile, func(p management.Place) management.SnapshotPlace { return management.SnapshotPlace{Stable: &p} }},
	} {
		if part.file == snapshotStableFile && d.StableSize == 0 {
			continue
		}
		if err := t.uploadPart(ctx, part.file, part.kind); err != nil {
			return err
		}
	}
	for i := range d.Chunks {
		content, err := regular.ReadIn(t.folder, chunkFile(&d.Chunks[i]), canister.ChunkBytes)
		if err != nil {
			return badFolder(err.Error())
		}
		if err := t.manage(ctx, uploadSnapshotData, management.UploadSnapshotData{Canister: t.canister, Snapshot: t.snapshot, Kind: management.SnapshotPlace{Chunk: new(candid.Null)}, Chunk: content}, nil); err != nil {
			return err
		}
	}
	return nil
}

// uploadPart uploads a file piece by piece.
func (t *snapshotTransfer) uploadPart(ctx context.Context, name string, kind func(management.Place) management.SnapshotPlace) error {
	file, err := regular.OpenIn(t.folder, name)
	if err != nil {
		return badFolder(err.Error())
	}
	defer func() { _ = file.Close() }() // it was only read
	buffer := make([]byte, snapshotPiece)
	for at := uint64(0); ; at += snapshotPiece {
		n, err := io.ReadFull(file, buffer)
		if n > 0 {
			if err := t.manage(ctx, uploadSnapshotData, management.UploadSnapshotData{Canister: t.canister, Snapshot: t.snapshot, Kind: kind(management.Place{Offset: at}), Chunk: buffer[:n]}, nil); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return badFolder(err.Error())
		}
	}
}

const uploadSnapshotData = "upload_canister_snapshot_data"
