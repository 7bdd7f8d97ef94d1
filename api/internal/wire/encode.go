package wire

import "encoding/binary"

// selfDescribed is tag 55799, which starts every body we write.
var selfDescribed = []byte{0xd9, 0xd9, 0xf7}

// appendHead appends the initial bytes of a data item in their shortest form.
func appendHead(dst []byte, major byte, arg uint64) []byte {
	major <<= 5
	switch {
	case arg < 24:
		return append(dst, major|byte(arg))
	case arg < 1<<8:
		return append(dst, major|24, byte(arg))
	case arg < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(arg))
	case arg < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(arg))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), arg)
}

func appendMap(dst []byte, pairs int) []byte { return appendHead(dst, majorMap, uint64(pairs)) }

func appendArray(dst []byte, elements int) []byte {
	return appendHead(dst, majorArray, uint64(elements))
}

func appendText(dst []byte, s string) []byte {
	return append(appendHead(dst, majorText, uint64(len(s))), s...)
}

func appendBlob(dst, b []byte) []byte {
	return append(appendHead(dst, majorBlob, uint64(len(b))), b...)
}

func appendTextField(dst []byte, key, value string) []byte {
	return appendText(appendText(dst, key), value)
}

func appendBlobField(dst []byte, key string, value []byte) []byte {
	return appendBlob(appendText(dst, key), value)
}

func appendNatField(dst []byte, key string, value uint64) []byte {
	return appendHead(appendText(dst, key), majorNat, value)
}

// newBody returns an empty self-described body with capacity for contents of this many bytes and the few field names
// around them.
func newBody(contents int) []byte {
	return append(make([]byte, 0, contents+128), selfDescribed...)
}
