package wire

// Status is the answer of the status endpoint (interface specification, "Request: Status"). Empty fields are omitted.
type Status struct {
	// RootKey is in DER form; a client without it cannot trust any answer.
	RootKey     []byte
	ImplVersion string
	ImplHash    string
	// Health is "healthy" if requests are served.
	Health          string
	CertifiedHeight uint64
}

// EncodeStatus encodes the body of a status answer.
func EncodeStatus(s Status) []byte {
	texts := [...]struct{ key, value string }{
		{"impl_version", s.ImplVersion},
		{"impl_hash", s.ImplHash},
		{"replica_health_status", s.Health},
	}
	var fields []byte
	n := 0
	for _, t := range texts {
		if t.value != "" {
			fields = appendTextField(fields, t.key, t.value)
			n++
		}
	}
	if len(s.RootKey) > 0 {
		fields = appendBlobField(fields, "root_key", s.RootKey)
		n++
	}
	if s.CertifiedHeight > 0 {
		fields = appendNatField(fields, "certified_height", s.CertifiedHeight)
		n++
	}
	return append(appendMap(newBody(len(fields)), n), fields...)
}
