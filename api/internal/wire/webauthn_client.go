package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// readClientData returns the challenge in a device's client data (Web Authentication, "CollectedClientData"). type and
// origin must be present but are ignored: any page may ask a device to sign.
func readClientData(text []byte) (challenge []byte, err error) {
	encoded, err := clientChallenge(text)
	if err != nil {
		return nil, phrased("ClientDataJSON parsing failed with: %v", err)
	}
	if strings.ContainsAny(encoded, "\r\n") {
		err = errors.New("a line ends in it")
	} else {
		challenge, err = base64.RawURLEncoding.Strict().DecodeString(encoded)
	}
	if err != nil {
		return nil, phrased("Challenge base64url parsing failed with: %v", err)
	}
	return challenge, nil
}

// clientChallenge reads the object key by key: keys must match exactly and may not repeat, or two readers could see two
// challenges.
func clientChallenge(text []byte) (string, error) {
	if !utf8.Valid(text) {
		return "", errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return "", errors.Join(errors.New("it is not an object"), err)
	}
	found := map[string]string{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return "", err
		}
		switch name, _ := key.(string); name {
		case "type", "challenge", "origin":
			if _, twice := found[name]; twice {
				return "", errors.New("duplicate field `" + name + "`")
			}
			var text *string
			if err := json.Unmarshal(value, &text); err != nil || text == nil {
				return "", errors.New("field `" + name + "` is not a string")
			}
			found[name] = *text
		}
	}
	if _, err := d.Token(); err != nil {
		return "", err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("trailing characters")
	}
	for _, name := range []string{"type", "challenge", "origin"} {
		if _, ok := found[name]; !ok {
			return "", errors.New("missing field `" + name + "`")
		}
	}
	return found["challenge"], nil
}
