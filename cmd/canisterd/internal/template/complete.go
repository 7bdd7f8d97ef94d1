package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// completed are files to which a project adds what they lack: npm install and git write them in a directory before there is
// a project.
var completed = map[string]func(existing, ours []byte) ([]byte, error){
	".gitignore": completeLines, "package.json": completePackage,
}

// completeLines adds the lines that are missing.
func completeLines(existing, ours []byte) ([]byte, error) {
	has := slices.Collect(strings.Lines(string(existing)))
	result := slices.Clone(existing)
	if len(result) > 0 && !bytes.HasSuffix(result, []byte("\n")) {
		result = append(result, '\n')
	}
	for line := range strings.Lines(string(ours)) {
		if !slices.ContainsFunc(has, func(other string) bool { return strings.TrimSpace(other) == strings.TrimSpace(line) }) {
			result = append(result, line...)
		}
	}
	return result, nil
}

// member is a member of an object in JSON. A map would lose the order in which people write them.
type member struct {
	name  string
	value json.RawMessage
}

type object []member

// completePackage adds the members that are missing, and to scripts and dependencies those that are missing in them.
func completePackage(existing, ours []byte) ([]byte, error) {
	var theirs, added object
	if err := errors.Join(json.Unmarshal(existing, &theirs), json.Unmarshal(ours, &added)); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	for _, m := range added {
		at := slices.IndexFunc(theirs, func(other member) bool { return other.name == m.name })
		switch {
		case at < 0:
			theirs = append(theirs, m)
		case m.name == "scripts" || m.name == "devDependencies":
			value, err := completePackage(theirs[at].value, m.value)
			if err != nil {
				return nil, err
			}
			theirs[at].value = value
		}
	}
	text, err := json.MarshalIndent(theirs, "", "  ")
	return append(text, '\n'), err
}

// UnmarshalJSON reads the members in their order.
func (o *object) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return errors.Join(err, errors.New("expected an object"))
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		m := member{name: fmt.Sprint(name)}
		if err := decoder.Decode(&m.value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), m.value...)
	}
	return append(text, '}'), nil
}
