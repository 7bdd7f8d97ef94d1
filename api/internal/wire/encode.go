package wire

import "github.com/canisterd/canisterd/internal/certify"

// selfDescribed is tag 55799, which starts every body we write.
var selfDescribed = []byte{0xd9, 0xd9, 0xf7}

func appendMap(dst []byte, pairs int) []byte { return certify.AppendHead(dst, majorMap, uint64(pairs)) }

func appendArray(dst []byte, elements int) []byte {
	return certify.AppendHead(dst, majorArray, uint64(elements))
}

func appendText(dst []byte, s string) []byte {
	return append(certify.AppendHead(dst, majorText, uint64(len(s))), s...)
}

func appendBlob(dst, b []byte) []byte {
	return append(certify.AppendHead(dst, majorBlob, uint64(len(b))), b...)
}

func appendTextField(dst []byte, key, value string) []byte {
	return appendText(appendText(dst, key), value)
}

func appendBlobField(dst []byte, key string, value []byte) []byte {
	return appendBlob(appendText(dst, key), value)
}

func appendNatField(dst []byte, key string, value uint64) []byte {
	return certify.AppendHead(appendText(dst, key), majorNat, value)
}

// newBody returns an empty self-described body with capacity for contents of this many bytes and the few field names
// around them.
func newBody(contents int) []byte {
	return append(make([]byte, 0, contents+128), selfDescribed...)
}
