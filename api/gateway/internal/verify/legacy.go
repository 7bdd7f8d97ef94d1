package verify

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/canisterd/canisterd/internal/certify"
)

// checkLegacy checks the body of a response by version 1 (HTTP gateway protocol specification, "Legacy Response
// Verification").
func checkLegacy(tree *certify.HashTree, r *Request, response *Response) error {
	path, _, _ := splitURL(r.URL)
	want, status := tree.Lookup("http_assets", certify.Label(path))
	if status != certify.Found {
		if want, status = tree.Lookup("http_assets", "/index.html"); status != certify.Found {
			return fmt.Errorf("neither %q nor %q is among the certified assets: %s", path, "/index.html", status)
		}
	}
	if body := sha256.Sum256(response.Body); bytes.Equal(body[:], want) {
		return nil
	}
	decoded, err := decodedHash(response)
	if err != nil {
		return err
	}
	if !bytes.Equal(decoded, want) {
		return errOtherBody
	}
	return nil
}

// errOtherBody is for a body of a response that was changed.
var errOtherBody = errors.New("the body of the response is not the one that the canister has certified")

// decodedHash returns the hash of a body without its compression.
func decodedHash(response *Response) ([]byte, error) {
	encoding, compressed, err := find(response.Headers, "Content-Encoding")
	if err != nil || !compressed {
		return nil, err
	}
	var body io.Reader = bytes.NewReader(response.Body)
	switch strings.ToLower(encoding) {
	case "gzip":
		if body, err = gzip.NewReader(body); err != nil {
			return nil, fmt.Errorf("decoding the body: %w", err)
		}
	case "deflate":
		body = flate.NewReader(body)
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(body, maxDecoded+1))
	if err != nil {
		return nil, fmt.Errorf("decoding the body: %w", err)
	}
	if n > maxDecoded {
		return nil, fmt.Errorf("the decoded body has more than %d bytes, which is the most that is checked", maxDecoded)
	}
	return hash.Sum(nil), nil
}
