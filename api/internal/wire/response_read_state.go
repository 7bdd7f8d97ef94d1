package wire

// EncodeReadState encodes the body of a read_state answer with an encoded certificate (interface specification,
// "Request: Read state").
func EncodeReadState(certificate []byte) []byte {
	return appendBlobField(appendMap(newBody(len(certificate)), 1), "certificate", certificate)
}
