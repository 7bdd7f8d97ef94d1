package rewrite

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
)

const (
	rawMagic  = "\x00asm"
	gzipMagic = "\x1f\x8b\x08"
	gzipFrame = 16 // header and footer of the shortest stream
)

// Raw decompresses a module as uploaded, raw or gzip. For a module that cannot be decoded it returns an *Invalid.
func Raw(uploaded []byte) ([]byte, error) {
	raw, bad := decodeUpload(uploaded)
	if bad != nil {
		return nil, bad
	}
	return raw, nil
}

// decodeUpload returns the raw module. A compressed upload is never expanded beyond the size its footer declares.
func decodeUpload(uploaded []byte) ([]byte, *Invalid) {
	switch {
	case bytes.HasPrefix(uploaded, []byte(rawMagic)):
		return uploaded, checkModuleSize(uint64(len(uploaded)))
	case bytes.HasPrefix(uploaded, []byte(gzipMagic)):
		return decompress(uploaded)
	}
	return nil, invalidDecoding("unsupported canister module format")
}

// Begins reports whether a module as uploaded, raw or gzip, begins with some bytes when it is decompressed.
func Begins(uploaded []byte, with string) bool {
	if !bytes.HasPrefix(uploaded, []byte(gzipMagic)) {
		return bytes.HasPrefix(uploaded, []byte(with))
	}
	stream, err := gzip.NewReader(bytes.NewReader(uploaded))
	if err != nil {
		return false
	}
	start := make([]byte, len(with))
	_, err = io.ReadFull(stream, start)
	return err == nil && string(start) == with
}

func checkModuleSize(size uint64) *Invalid {
	if size <= maxModuleBytes {
		return nil
	}
	return invalid(RuleModuleSize, "Wasm module size of %d exceeds the maximum allowed size of %d.", size, maxModuleBytes).
		advise("Try shrinking the module using tools like `ic-wasm` or splitting the logic across multiple canisters.", "wasm-module-too-large")
}

func decompress(uploaded []byte) ([]byte, *Invalid) {
	if len(uploaded) < gzipFrame {
		return nil, invalidDecoding("invalid Wasm module: gzip stream is too short")
	}
	declared := binary.LittleEndian.Uint32(uploaded[len(uploaded)-4:])
	if bad := checkModuleSize(uint64(declared)); bad != nil {
		return nil, bad
	}
	stream, err := gzip.NewReader(bytes.NewReader(uploaded))
	if err != nil {
		return nil, invalidDecoding("failed to decode compressed Wasm module: " + err.Error())
	}
	stream.Multistream(false)
	// The footer does not determine the memory either: the buffer grows as bytes arrive.
	var raw bytes.Buffer
	raw.Grow(min(int(declared)+bytes.MinRead, 16*len(uploaded)))
	n, err := io.Copy(&raw, io.LimitReader(stream, int64(declared)+1))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, invalidDecoding("failed to decode compressed Wasm module: " + err.Error())
	}
	if n != int64(declared) {
		return nil, invalid(RuleDecoding, "Failed to decode wasm module: specified uncompressed size %d does not match extracted size %d", declared, n)
	}
	return raw.Bytes(), nil
}
