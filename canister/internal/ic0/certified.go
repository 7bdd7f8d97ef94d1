package ic0

// certifiedFunctions set certified data and read the certificate that proves it.
func certifiedFunctions() []function {
	return []function{
		// certified_data_set(src, size) sets the certified data. It traps above maxCertified bytes: "the passed data
		// must be no larger than 32 bytes".
		{name: "certified_data_set", params: "pp", where: certifying, cost: bytesOf(1), body: func(x *Execution, s []uint64) {
			if s[1] > maxCertified {
				x.refuse(Advice("Try certifying just the hash of your data instead of the full contents.", "certified_data_set-payload-too-large"),
					"ic0_certified_data_set failed because the passed data must be no larger than %d bytes. Found %d bytes.", maxCertified, s[1])
			}
			data, ok := x.Guest.View(s[0], s[1])
			if !ok {
				x.misuse("ic0_certified_data_set failed because src + size is out of bounds. Found src = %d and size = %d while src + size must be <= %d",
					s[0], s[1], x.Guest.MemorySize())
			}
			x.Certified, x.CertifiedSet = append([]byte{}, data...), true
		}},
		// data_certificate_present() is 1 in the query that a user sent, and 0 elsewhere: in calls of a composite
		// query, too.
		{name: "data_certificate_present", results: "i", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = 0
			if certified.has(x.Context) && x.hasCertificate() {
				s[0] = 1
			}
		}},
		// data_certificate_size() is the length of the certificate, in bytes. It traps if there is none.
		{name: "data_certificate_size", results: "p", where: certified, cost: flat(plain), body: func(x *Execution, s []uint64) {
			if !x.hasCertificate() {
				x.wrongContext("ic0_data_certificate_size")
			}
			s[0] = uint64(len(x.certificate()))
		}},
		// data_certificate_copy(dst, offset, size) copies bytes of the certificate. It traps if there is none.
		{name: "data_certificate_copy", params: "ppp", where: certified, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			const text = "ic0_data_certificate_copy failed because %s + size is out of bounds. Found %s = %d and size = %d while %s + size must be <= %d"
			if !x.hasCertificate() {
				x.wrongContext("ic0_data_certificate_copy")
			}
			if have := uint64(len(x.certificate())); s[1] > have || s[2] > have-s[1] {
				x.misuse(text, "offset", "offset", s[1], s[2], "offset", have)
			}
			to, ok := x.Guest.View(s[0], s[2])
			if !ok {
				x.misuse(text, "dst", "dst", s[0], s[2], "dst", x.Guest.MemorySize())
			}
			copy(to, x.certificate()[s[1]:])
		}},
	}
}

func (x *Execution) hasCertificate() bool {
	return x.Message.Certificate != nil || x.Message.Certify != nil
}

// certificate returns the data certificate, made when the code first asks for it.
func (x *Execution) certificate() []byte {
	if x.Message.Certificate != nil {
		return x.Message.Certificate
	}
	if x.newCertificate == nil {
		x.newCertificate = x.Message.Certify()
	}
	return x.newCertificate
}
