package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
)

// Filter is the output of a result through --jq.
type Filter struct {
	jq   string
	code *gojq.Code
}

// Add adds the flag.
func (f *Filter) Add(root *cobra.Command) {
	root.PersistentFlags().StringVar(&f.jq, "jq", "", "filter the JSON result with a jq expression (implies --json)")
}

// Read compiles the given filter, and reports whether there is one.
func (f *Filter) Read() (given bool, err error) {
	if f.jq == "" {
		return false, nil
	}
	query, err := gojq.Parse(f.jq)
	if err != nil {
		return false, fmt.Errorf("--jq: %w", err)
	}
	if f.code, err = gojq.Compile(query); err != nil {
		return false, fmt.Errorf("--jq: %w", err)
	}
	return true, nil
}

// Apply prints a result through the filter.
func (f *Filter) Apply(out io.Writer, text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("reading the result: %w", err)
	}
	value = numbered(value)
	results := f.code.Run(value)
	var nulls, others int
	for {
		result, more := results.Next()
		switch {
		case !more && nulls > 0 && others == 0 && value != nil:
			return fmt.Errorf("--jq: %s is null in this result%s; write (%[1]s // \"\") for what may be missing", f.jq, keysOf(value))
		case !more:
			return nil
		case result == nil:
			nulls++
		default:
			others++
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--jq: %w", err)
		}
		if err := raw(out, result); err != nil {
			return err
		}
	}
}

// keysOf lists the keys of an object, for an error.
func keysOf(value any) string {
	object, is := value.(map[string]any)
	if !is {
		return ""
	}
	return ", which has " + strings.Join(slices.Sorted(maps.Keys(object)), ", ")
}

// raw prints a text as it is, anything else as JSON.
func raw(out io.Writer, value any) error {
	text, is := value.(string)
	if !is {
		encoded, err := gojq.Marshal(value)
		if err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
		text = string(encoded)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// numbered returns a value with its numbers in jq's form: integers of any size.
func numbered(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbered(v[key])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil && int64(int(n)) == n {
			return int(n)
		}
		if n, ok := new(big.Int).SetString(v.String(), 10); ok {
			return n
		}
		n, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return n
	}
	return value
}
