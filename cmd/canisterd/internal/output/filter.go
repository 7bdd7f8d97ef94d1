package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
)

// Filter is the output of a result through --jq or --template.
type Filter struct {
	jq, template string
	code         *gojq.Code
	parsed       *template.Template
}

// Add adds the flags.
func (f *Filter) Add(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&f.jq, "jq", "", "filter the JSON result with a jq expression (implies --json)")
	flags.StringVar(&f.template, "template", "", "format the JSON result with a Go template (implies --json)")
}

// Read compiles the given filter, and reports whether there is one.
func (f *Filter) Read() (given bool, err error) {
	switch {
	case f.jq != "" && f.template != "":
		return false, errors.New("use either --jq or --template, not both")
	case f.jq != "":
		query, err := gojq.Parse(f.jq)
		if err != nil {
			return false, fmt.Errorf("--jq: %w", err)
		}
		f.code, err = gojq.Compile(query)
		if err != nil {
			return false, fmt.Errorf("--jq: %w", err)
		}
	case f.template != "":
		functions := template.FuncMap{"json": inTemplate, "join": joined}
		f.parsed, err = template.New("").Funcs(functions).Parse(f.template)
		if err != nil {
			return false, fmt.Errorf("--template: %w", err)
		}
	}
	return f.code != nil || f.parsed != nil, nil
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
	if f.parsed != nil {
		if err := f.parsed.Execute(out, value); err != nil {
			return fmt.Errorf("--template: %w", err)
		}
		_, err := fmt.Fprintln(out)
		return err
	}
	results := f.code.Run(value)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--jq: %w", err)
		}
		if err := raw(out, result); err != nil {
			return err
		}
	}
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

// inTemplate encodes a value as JSON, for templates.
func inTemplate(value any) (string, error) {
	text, err := gojq.Marshal(value)
	return string(text), err
}

// joined joins a list with a separator, for templates.
func joined(separator string, values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	return strings.Join(texts, separator)
}
