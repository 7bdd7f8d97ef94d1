package wire

// Query is a query call (interface specification, "Request: Query call").
type Query struct {
	Envelope
	Message
}

// DecodeQuery reads the body of a query request. It does not authenticate it.
// Every error is a *refusal.Refusal. The result's slices alias body.
func DecodeQuery(body []byte) (*Query, error) {
	query := new(Query)
	if err := openMessage(body, KindQuery, &query.Envelope, &query.Message); err != nil {
		return nil, err
	}
	return query, nil
}
