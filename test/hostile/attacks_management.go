package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
)

// managementAttacks let the management canister and the state tree grow and answer, as any anonymous user can.
func managementAttacks() []attack {
	return []attack{creating(), uploading(), reading()}
}

// creating creates canisters without end.
func creating() attack {
	return attack{
		name: "create", limits: standard,
		why: "8 clients create canisters without end; what the daemon keeps for each",
		run: func(ctx context.Context, s *stage) {
			arg := encode(management.Create{})
			s.keep(ctx, 8, 5*time.Millisecond, func(ctx context.Context, _ int) error {
				return s.manage(ctx, principal.Management, "provisional_create_canister_with_cycles", arg)
			})
		},
	}
}

// uploadChunk is the argument of upload_chunk.
type uploadChunk struct {
	Canister principal.Principal `ic:"canister_id"`
	Chunk    []byte              `ic:"chunk"`
}

// uploading fills the chunk stores of canisters, 100 MiB each, which are more than the limit of the daemon, and empties
// them again. Stores are memories of canisters, which the limit does not include: they are on the disk.
func uploading() attack {
	const count, chunkBytes, clearEach = 16, 1 << 20, 2000
	var canisters []principal.Principal
	return attack{
		name: "upload-chunk", limits: standard, launch: launch{disk: true},
		why: "4 clients upload chunks of 1 MiB to 16 canisters, and clear their stores; arguments and chunk stores",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.createMany(ctx, count)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 4, 20*time.Millisecond, func(ctx context.Context, _ int) error {
				n := s.requests.Load()
				canister := canisters[n%count]
				if n%clearEach < count {
					return s.manage(ctx, canister, "clear_chunk_store", encode(management.Canister{ID: canister}))
				}
				chunk := bytes.Repeat([]byte{byte(n)}, chunkBytes)
				_, _ = rand.Read(chunk[:16]) // so that each is another one; it never fails
				return s.manage(ctx, canister, "upload_chunk", encode(uploadChunk{canister, chunk}))
			})
		},
	}
}

// maxPaths is how many paths a request may have (specification).
const maxPaths = 1000

// reading asks for as much of the state tree as a request may name.
func reading() attack {
	var canisters []principal.Principal
	return attack{
		name: "read-state", limits: standard,
		why: "8 clients read 1,000 paths of the state tree at a time; proofs",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.createMany(ctx, 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			paths := make([][][]byte, maxPaths)
			for i := range paths {
				paths[i] = [][]byte{[]byte("canister"), canisters[0].Bytes(), []byte("metadata"), fmt.Appendf(nil, "section %d", i)}
			}
			s.keep(ctx, 8, 10*time.Millisecond, func(ctx context.Context, _ int) error {
				return s.post(ctx, fmt.Sprintf("/api/v3/canister/%s/read_state", canisters[0]), readState(paths))
			})
		},
	}
}

// manage calls a method of the management canister as the anonymous user, and waits for the answer.
func (s *stage) manage(ctx context.Context, effective principal.Principal, method string, arg []byte) error {
	body := (*identity)(nil).request("call", principal.Management, method, arg, s.nonces.Add(1))
	return s.post(ctx, fmt.Sprintf(syncCall, effective), body)
}

// encode is the Candid of an argument whose type is fixed.
func encode(arg any) []byte {
	raw, err := candid.Marshal(arg)
	if err != nil {
		panic(err)
	}
	return raw
}
