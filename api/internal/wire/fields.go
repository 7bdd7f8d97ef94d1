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
		return nil, notAMap(it, what)
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

func notAMap(it item, what string) error { return fmt.Errorf("%s is %s, not a map", what, it.kind) }

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

// find returns the field, nil if it is absent.
func (fs fields) find(name string) *item {
	for i := range fs {
		if string(fs[i].key) == name {
			return &fs[i].value
		}
	}
	return nil
}

// optional returns the field of this kind, nil if it is absent.
func (fs fields) optional(name string, want kind) (*item, error) {
	it := fs.find(name)
	if it != nil && it.kind != want {
		return nil, fmt.Errorf("field `%s` is %s, not %s", name, it.kind, want)
	}
	return it, nil
}

func (fs fields) required(name string, want kind) (*item, error) {
	it, err := fs.optional(name, want)
	if err == nil && it == nil {
		err = fmt.Errorf("missing field `%s`", name)
	}
	return it, err
}

func (fs fields) blob(name string) ([]byte, error) {
	it, err := fs.required(name, kindBlob)
	if err != nil {
		return nil, err
	}
	return it.body, nil
}

func (fs fields) text(name string) ([]byte, error) {
	it, err := fs.required(name, kindText)
	if err != nil {
		return nil, err
	}
	return it.body, nil
}

func (fs fields) nat(name string) (uint64, error) {
	it, err := fs.required(name, kindNat)
	if err != nil {
		return 0, err
	}
	return it.num, nil
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
