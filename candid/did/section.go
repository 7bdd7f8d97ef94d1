package did

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// Metadata in which modules declare their interface, and the types of the arguments of their installation if the
// interface has no constructor.
const (
	InterfaceSection = "candid:service"
	InitSection      = "candid:args"
)

// ErrNoInterface is the error of a module without an interface.
var ErrNoInterface = errors.New("the module has no metadata candid:service, which would say the types: send bytes or text")

// FromModule returns the interface in a module. The module may be compressed by gzip; its decompressed size is limited.
func FromModule(module []byte, most int64) (*File, error) {
	text, ok := Section(module, InterfaceSection, most)
	if !ok {
		return nil, ErrNoInterface
	}
	args, ok := Section(module, InitSection, most)
	if !ok {
		return Parse(text)
	}
	return ParseWithInit(text, args)
}

// Section returns the content of a custom section "icp:public NAME" or "icp:private NAME" of a module that is not
// compiled yet, with or without gzip. The compiler reports what is wrong with the module.
func Section(module []byte, name string, most int64) (string, bool) {
	const headerBytes, customSection = 8, 0
	module = unpacked(module, most)
	for at := headerBytes; at < len(module); {
		kind := module[at]
		size, n := uleb(module[at+1:])
		body := at + 1 + n
		if n == 0 || size > uint64(len(module)-body) {
			return "", false
		}
		at = body + int(size)
		if kind != customSection {
			continue
		}
		section := module[body:at]
		length, n := uleb(section)
		if n == 0 || length > uint64(len(section)-n) {
			return "", false
		}
		title, content := string(section[n:n+int(length)]), section[n+int(length):]
		if title == "icp:public "+name || title == "icp:private "+name {
			return string(content), true
		}
	}
	return "", false
}

// unpacked returns a module without gzip, up to a number of bytes.
func unpacked(module []byte, most int64) []byte {
	if !bytes.HasPrefix(module, []byte{0x1f, 0x8b}) {
		return module
	}
	r, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil
	}
	return raw
}

// uleb reads a number of at most 32 bits, and returns how many bytes it has, 0 if it is malformed.
func uleb(b []byte) (value uint64, n int) {
	const most = 5
	for i := range min(len(b), most) {
		value |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}
