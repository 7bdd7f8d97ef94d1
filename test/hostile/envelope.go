package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
)

// This file writes requests as the interface specification has them ("Authentication",
// "Request: Call") without the codec that the daemon reads them with.

// field is an entry of a request's content: a text, bytes, a natural number, or paths.
type field struct {
	name  string
	value any
}

// identity signs requests; nil is the anonymous one.
type identity struct {
	key ed25519.PrivateKey
	der []byte
}

func newIdentity(seed byte) *identity {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	prefix := []byte{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}
	return &identity{key, append(prefix, key.Public().(ed25519.PublicKey)...)}
}

func (id *identity) sender() principal.Principal {
	if id == nil {
		return principal.Anonymous
	}
	return principal.SelfAuthenticating(id.der)
}

// request is the body of a call or query to a canister. The nonce makes it different from
// every other.
func (id *identity) request(kind string, canister principal.Principal, method string, arg []byte, nonce uint64) []byte {
	content := []field{
		{"request_type", kind},
		{"sender", id.sender().Bytes()},
		{"canister_id", canister.Bytes()},
		{"method_name", method},
		{"arg", arg},
		{"ingress_expiry", uint64(time.Now().Add(4 * time.Minute).UnixNano())},
		{"nonce", binary.BigEndian.AppendUint64(nil, nonce)},
	}
	body := make([]byte, 0, len(arg)+512)
	body = append(body, 0xd9, 0xd9, 0xf7) // self-described CBOR
	if id == nil {
		return appendContent(append(body, 0xa1), content)
	}
	hash := requestID(content)
	signature := ed25519.Sign(id.key, append([]byte("\x0aic-request"), hash[:]...))
	body = appendContent(append(body, 0xa3), content)
	body = appendField(body, field{"sender_pubkey", id.der})
	return appendField(body, field{"sender_sig", signature})
}

// readState is the body of an anonymous request to read paths.
func readState(paths [][][]byte) []byte {
	body := []byte{0xd9, 0xd9, 0xf7, 0xa1}
	return appendContent(body, []field{
		{"request_type", "read_state"},
		{"sender", principal.Anonymous.Bytes()},
		{"paths", paths},
		{"ingress_expiry", uint64(time.Now().Add(4 * time.Minute).UnixNano())},
	})
}

func appendContent(body []byte, content []field) []byte {
	body = appendText(body, "content")
	body = appendHead(body, 5, uint64(len(content)))
	for _, f := range content {
		body = appendField(body, f)
	}
	return body
}

func appendField(body []byte, f field) []byte {
	body = appendText(body, f.name)
	switch v := f.value.(type) {
	case string:
		return appendText(body, v)
	case []byte:
		return append(appendHead(body, 2, uint64(len(v))), v...)
	case uint64:
		return appendHead(body, 0, v)
	case [][][]byte:
		body = appendHead(body, 4, uint64(len(v)))
		for _, path := range v {
			body = appendHead(body, 4, uint64(len(path)))
			for _, label := range path {
				body = append(appendHead(body, 2, uint64(len(label))), label...)
			}
		}
		return body
	}
	panic("hostile: a field of an unknown type")
}

func appendText(body []byte, text string) []byte {
	return append(appendHead(body, 3, uint64(len(text))), text...)
}

// appendHead appends the head of a CBOR item: its major type and its number or length.
func appendHead(body []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(body, major<<5|byte(n))
	case n < 1<<8:
		return append(body, major<<5|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(body, major<<5|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(body, major<<5|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(body, major<<5|27), n)
}

// requestID is the representation-independent hash of a request's content.
func requestID(content []field) [32]byte {
	var pairs [][]byte
	for _, f := range content {
		var value []byte
		switch v := f.value.(type) {
		case string:
			value = []byte(v)
		case []byte:
			value = v
		case uint64:
			value = binary.AppendUvarint(nil, v)
		}
		name, hashed := sha256.Sum256([]byte(f.name)), sha256.Sum256(value)
		pairs = append(pairs, append(name[:], hashed[:]...))
	}
	slices.SortFunc(pairs, bytes.Compare)
	return sha256.Sum256(slices.Concat(pairs...))
}
