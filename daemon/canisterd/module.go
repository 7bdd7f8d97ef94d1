package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"
)

// maxModule bounds what a gzipped module may grow to, as the replica does.
const maxModule = 100 << 20

const (
	// serviceSection describes the module's methods in Candid.
	serviceSection = "icp:public candid:service"
	// keepsMemory is in modules whose heap must survive an upgrade (interface
	// specification, "install_code", wasm_memory_persistence).
	keepsMemory = "icp:private enhanced-orthogonal-persistence"
)

// plain is the module without the gzip around it.
func plain(module []byte) ([]byte, error) {
	if bytes.HasPrefix(module, []byte{0x1f, 0x8b}) {
		return gunzip(module)
	}
	return module, nil
}

// section is the content of a plain module's custom section, and false where
// there is none: a walk over section heads, which is all that is needed to know
// how to install it before anything is sent.
func section(module []byte, name string) (string, bool) {
	if !bytes.HasPrefix(module, []byte("\x00asm")) || len(module) < 8 {
		return "", false
	}
	for rest := module[8:]; len(rest) > 0; {
		id := rest[0]
		body, after, ok := sized(rest[1:])
		if !ok {
			return "", false
		}
		rest = after
		if id != 0 {
			continue
		}
		if found, content, ok := sized(body); ok && string(found) == name {
			return string(content), true
		}
	}
	return "", false
}

// sized splits what starts with its length in LEB128.
func sized(data []byte) (body, rest []byte, ok bool) {
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(len(data)-used) {
		return nil, nil, false
	}
	return data[used : used+int(n)], data[used+int(n):], true
}

func gunzip(module []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, maxModule))
}

func parenthesised(args string) string {
	args = strings.TrimSpace(args)
	if strings.HasPrefix(args, "(") {
		return args
	}
	return "(" + args + ")"
}
