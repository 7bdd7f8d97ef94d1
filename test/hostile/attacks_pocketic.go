package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// pocketAttacks ask canisterd pocket-ic for what is larger than it looks.
func pocketAttacks() []attack {
	all := []attack{
		readingStable(), downloading(), inflating(), sendingBlobs(), uploadingFiles(), foreignPages(),
		flooding("pocket-resets", "20,000 streams a second that are opened and reset at once, over 4 connections of a gateway with TLS; handlers", (*stage).resetStreams),
		flooding("pocket-continuations", "heads of requests of 16 MiB in CONTINUATION frames, over 4 connections of a gateway with TLS; heads being read", (*stage).continueHeads),
	}
	for i := range all {
		all[i].limits, all[i].pocket = standard, true
	}
	return all
}

// sparseText grows its stable memory by far more than this machine has, and writes its last bytes.
const sparseText = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(memory 1)
	(func (export "canister_update grow_400_gib")
		(drop (call $grow (i64.const 6553600))) (call $write (i64.const 428422987776) (i64.const 0) (i64.const 3)) (call $reply))
	(func (export "canister_update grow_20_gib")
		(drop (call $grow (i64.const 327680))) (call $write (i64.const 20401094656) (i64.const 0) (i64.const 3)) (call $reply)))`

// sparse deploys a canister with a large stable memory.
func (s *stage) sparse(ctx context.Context, method string) (principal.Principal, error) {
	canisters, err := s.deploy(ctx, sparseText, 1)
	if err != nil {
		return principal.Principal{}, err
	}
	canister := canisters[0]
	_, err = s.control.Canisters.AddCycles(ctx, &controlv1.AddCyclesRequest{Instance: s.named(attackedInstance), CanisterId: canister.String(), Cycles: "1000000000000000000"})
	if err == nil {
		_, err = s.update(ctx, canister, canister, method, nil)
	}
	return canister, err
}

// update makes an update call over the control API and returns the reply.
func (s *stage) update(ctx context.Context, canister, effective principal.Principal, method string, arg []byte) ([]byte, error) {
	answer, err := s.control.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: s.named(attackedInstance), Call: &controlv1.Call{
		CanisterId: canister.String(), EffectiveCanisterId: effective.String(), Method: method,
		Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: arg}},
	}})
	if err != nil {
		return nil, err
	}
	if reject := answer.Outcome.GetReject(); reject != nil {
		return nil, fmt.Errorf("%s is rejected: %s", method, reject.Text)
	}
	return answer.Outcome.GetReply().GetBytes(), nil
}

// readingStable reads the beginnings of a stable memory.
func readingStable() attack {
	var canister principal.Principal
	return attack{
		name: "pocket-stable", why: "4 clients read a stable memory of 400 GiB for a while; answers",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canister, err = s.sparse(ctx, "grow_400_gib")
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 4, 50*time.Millisecond, func(ctx context.Context, worker int) error {
				response, err := s.send(ctx, http.MethodPost, s.pocketPath("read/get_stable_memory"), bytes.NewBufferString(raw(canister)), nil)
				if err != nil {
					return err
				}
				defer func() { _ = response.Body.Close() }()
				if worker == 0 { // reads nothing
					<-ctx.Done()
					return nil
				}
				_, err = io.CopyN(io.Discard, response.Body, 16<<20)
				return err
			})
		},
	}
}

// downloading writes snapshots of a large stable memory to folders.
func downloading() attack {
	var canister principal.Principal
	var snapshot struct {
		ID []byte `ic:"id"`
	}
	return attack{
		name: "pocket-download", why: "downloads of a snapshot with 20 GiB of stable memory, nearly all zeros; pieces and files",
		prepare: func(ctx context.Context, s *stage) (err error) {
			if canister, err = s.sparse(ctx, "grow_20_gib"); err != nil {
				return err
			}
			arg := encode(struct {
				Canister principal.Principal `ic:"canister_id"`
			}{canister})
			reply, err := s.update(ctx, principal.Management, canister, "take_canister_snapshot", arg)
			if err != nil {
				return err
			}
			return candid.Unmarshal(reply, &snapshot)
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 1, 10*time.Millisecond, func(ctx context.Context, _ int) error {
				folder, err := os.MkdirTemp(s.dir, "snapshot-*")
				if err != nil {
					return err
				}
				_, err = s.rest(ctx, http.MethodPost, s.pocketPath("update/canister_snapshot_download"), moveSnapshot(canister, snapshot.ID, folder), nil)
				return err
			})
		},
	}
}

// moveSnapshot is the body of a download or an upload of a snapshot.
func moveSnapshot(canister principal.Principal, snapshot []byte, folder string) io.Reader {
	return bytes.NewBufferString(fmt.Sprintf(`{"sender":{"principal_id":%q},"canister_id":%s,"snapshot_id":%q,"snapshot_dir":%q}`,
		base64.StdEncoding.EncodeToString(principal.Anonymous.Bytes()), raw(canister), base64.StdEncoding.EncodeToString(snapshot), folder))
}

// zerosInterval is how long a body of zeros takes to send a megabyte.
const zerosInterval = 40 * time.Millisecond

// zeros is a body that does not end before ctx does.
type zeros struct{ ctx context.Context }

// Read waits, and gives zeros.
func (z zeros) Read(p []byte) (int, error) {
	p = p[:min(len(p), 1<<20)]
	select {
	case <-z.ctx.Done():
		return 0, z.ctx.Err()
	case <-time.After(time.Duration(len(p)) * zerosInterval >> 20):
	}
	clear(p)
	return len(p), nil
}

// inflating sets stable memories to a blob that is a thousand times larger than it is sent.
func inflating() attack {
	var canisters []principal.Principal
	var blob []byte
	return attack{
		name: "pocket-inflate", why: "2 clients set stable memories to a gzip blob of 9 MiB that inflates to 9 GiB; inflated bytes",
		prepare: func(ctx context.Context, s *stage) (err error) {
			blob = gzipOfZeros(9 << 30) // once: the attacker and the innocent clients share a process
			canisters, err = s.deploy(ctx, sparseText, 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 2, 50*time.Millisecond, func(ctx context.Context, _ int) error {
				hash, err := s.rest(ctx, http.MethodPost, "/blobstore", bytes.NewReader(blob), http.Header{"Content-Encoding": {"gzip"}})
				if err != nil {
					return err
				}
				id, err := hex.DecodeString(string(hash))
				if err != nil {
					return err
				}
				body := fmt.Sprintf(`{"canister_id":%q,"blob_id":%q}`, base64.StdEncoding.EncodeToString(canisters[0].Bytes()), base64.StdEncoding.EncodeToString(id))
				if _, err = s.rest(ctx, http.MethodPost, s.pocketPath("update/set_stable_memory"), bytes.NewBufferString(body), nil); err == nil {
					s.violate("a blob of 9 GiB became a stable memory")
				}
				return err
			})
		},
	}
}

// gzipOfZeros returns a gzip file of zeros. The file is many small ones one after the other, as gzip allows, because one
// of this size takes long to compress.
func gzipOfZeros(size int) []byte {
	const member = 64 << 20
	var one bytes.Buffer
	w := gzip.NewWriter(&one)
	_, err := w.Write(make([]byte, member))
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return bytes.Repeat(one.Bytes(), size/member)
}

// sendingBlobs sends blobs without end.
func sendingBlobs() attack {
	return attack{
		name: "pocket-blobs", why: "4 clients send blobs that do not end; bodies and blobs",
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 4, 50*time.Millisecond, func(ctx context.Context, _ int) error {
				_, err := s.rest(ctx, http.MethodPost, "/blobstore", zeros{ctx}, nil)
				return err
			})
		},
	}
}

// foreignPages makes requests as pages of strangers would.
func foreignPages() attack {
	headers := []http.Header{
		{"Origin": {"https://evil.example"}, "Content-Type": {"text/plain"}},
		{"Origin": {"https://evil.example"}},
		{"Host": {"evil.example"}},
		{"Content-Type": {"text/plain"}},
	}
	return attack{
		name: "pocket-foreign", why: "8 pages of strangers make instances; what they may do",
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 8, 5*time.Millisecond, func(ctx context.Context, worker int) error {
				config := fmt.Sprintf(`{"subnet_config_set":{"application":[{}]},"state_dir":%q}`, filepath.Join(s.dir, "foreign"))
				_, err := s.rest(ctx, http.MethodPost, "/instances", bytes.NewBufferString(config), headers[worker%len(headers)])
				if err == nil {
					s.violate("a page of strangers made an instance, with %v", headers[worker%len(headers)])
				}
				return err
			})
		},
	}
}

// flooding floods an HTTP gateway with TLS, which speaks HTTP/2.
func flooding(name, why string, flood func(*stage, context.Context, func(context.Context) (net.Conn, error), http2Request)) attack {
	var address string
	return attack{
		name: name, why: why, freshConnections: true,
		prepare: func(ctx context.Context, s *stage) error {
			certificate, key, err := writeCertificate(s.dir)
			if err != nil {
				return err
			}
			var made struct{ Created struct{ Port int } }
			err = s.restInto(ctx, "/http_gateway", fmt.Sprintf(`{"forward_to":{"PocketIcInstance":%d},"https_config":{"cert_path":%q,"key_path":%q}}`,
				s.pocket.numbers[attackedInstance], certificate, key), &made)
			address = fmt.Sprintf("127.0.0.1:%d", made.Created.Port)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			flood(s, ctx, func(ctx context.Context) (net.Conn, error) { return dialTLS(ctx, address) }, pageRequest)
		},
	}
}

// uploadingFiles uploads snapshots from folders whose files are not what they should be.
func uploadingFiles() attack {
	var canisters []principal.Principal
	return attack{
		name: "pocket-files", why: "4 clients upload snapshots whose metadata is a device, 8 TiB of zeros or a named pipe; files being read",
		prepare: func(ctx context.Context, s *stage) (err error) {
			if canisters, err = s.deploy(ctx, sparseText, 1); err != nil {
				return err
			}
			for i, create := range strangeFiles {
				folder := filepath.Join(s.dir, fmt.Sprint("strange-", i))
				if err = errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
					return err
				}
				if err = create(filepath.Join(folder, "metadata.json")); err != nil {
					return err
				}
			}
			return nil
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 4, 10*time.Millisecond, func(ctx context.Context, worker int) error {
				which := worker % len(strangeFiles)
				folder := filepath.Join(s.dir, fmt.Sprint("strange-", which))
				_, err := s.rest(ctx, http.MethodPost, s.pocketPath("update/canister_snapshot_upload"), moveSnapshot(canisters[0], nil, folder), nil)
				if !isRefusal(err) && ctx.Err() == nil {
					s.violate("the upload of strange file %d is not refused: %v", which, err)
				}
				return err
			})
		},
	}
}
