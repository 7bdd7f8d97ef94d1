package wire

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// fields is a map read one level deep, without nulls.
type fields []field

type field struct {
	key   []byte
	value item
}

func fieldsOf(it item, what string) (fields, error) {
	if it.kind != kindMap {
		return nil, fmt.Errorf("%s is %s, not a map", what, it.kind)
	}
	fs := make(fields, 0, it.num)
	for rest := it.body; len(rest) > 0; {
		key, after, err := next(rest)
		if err != nil {
			return nil, err
		}
		value, after, err := next(after)
		if err != nil {
			return nil, err
		}
		if rest = after; value.kind != kindNull {
			fs = append(fs, field{key.body, value})
		}
	}
	return fs, nil
}

// elements calls each for the elements of an array, in order.
func (it item) elements(each func(item) error) error {
	for rest := it.body; len(rest) > 0; {
		element, after, err := next(rest)
		if err != nil {
			return err
		}
		if err := each(element); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

func (fs fields) find(name string) (item, bool) {
	for _, f := range fs {
		if string(f.key) == name {
			return f.value, true
		}
	}
	return item{}, false
}

// optional returns the field of this kind, and false if it is absent.
func (fs fields) optional(name string, want kind) (item, bool, error) {
	it, ok := fs.find(name)
	if ok && it.kind != want {
		return item{}, false, fmt.Errorf("field `%s` is %s, not %s", name, it.kind, want)
	}
	return it, ok, nil
}

func (fs fields) required(name string, want kind) (item, error) {
	it, ok, err := fs.optional(name, want)
	if err == nil && !ok {
		err = fmt.Errorf("missing field `%s`", name)
	}
	return it, err
}

func (fs fields) blob(name string) ([]byte, error) {
	it, err := fs.required(name, kindBlob)
	return it.body, err
}

func (fs fields) text(name string) (string, error) {
	it, err := fs.required(name, kindText)
	return string(it.body), err
}

func (fs fields) nat(name string) (uint64, error) {
	it, err := fs.required(name, kindNat)
	return it.num, err
}

func (fs fields) principal(name string) (principal.Principal, error) {
	raw, err := fs.blob(name)
	if err != nil {
		return principal.Principal{}, err
	}
	p, err := principal.FromBytes(raw)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("field `%s`: %w", name, err)
	}
	return p, nil
}
