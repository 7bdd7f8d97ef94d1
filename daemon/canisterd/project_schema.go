package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
)

func (c *cli) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of " + projectFile + ", for editors",
		Long: `Print the JSON schema of ` + projectFile + `, with which editors complete and check
it: write it to a file and name that in the first line,

  # yaml-language-server: $schema=canisterd.schema.json`,
		Example: `  canisterd schema > canisterd.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := encodeIndented(projectSchema())
			if err != nil {
				return err
			}
			return c.print(text, projectSchema())
		},
	}
}

// schemaPart is a part of a JSON schema.
type schemaPart struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        any                    `json:"type,omitempty"` // a name, or several
	Pattern     string                 `json:"pattern,omitempty"`
	Examples    []string               `json:"examples,omitempty"`
	Properties  map[string]*schemaPart `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Items       *schemaPart            `json:"items,omitempty"`
	Names       *schemaPart            `json:"propertyNames,omitempty"`
	Others      any                    `json:"additionalProperties,omitempty"` // false, or a part
}

// projectSchema is the schema of canisterd.yaml.
func projectSchema() *schemaPart {
	root := schemaOf(reflect.TypeFor[project]())
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", projectFile
	root.Required = []string{"canisters"}
	canisters := root.Properties["canisters"]
	canisters.Names = &schemaPart{Pattern: nameForm.String()}
	canisters.Others.(*schemaPart).Required = []string{"wasm"}
	return root
}

func schemaOf(t reflect.Type) *schemaPart {
	switch t {
	case reflect.TypeFor[byteCount](), reflect.TypeFor[secondCount]():
		return &schemaPart{Type: []string{"integer", "string"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return &schemaPart{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Map:
		return &schemaPart{Type: "object", Others: schemaOf(t.Elem())}
	case reflect.Uint64:
		return &schemaPart{Type: "integer"}
	case reflect.String:
		return &schemaPart{Type: []string{"string", "integer"}}
	case reflect.Struct:
		part := &schemaPart{Type: "object", Properties: map[string]*schemaPart{}, Others: false}
		for f := range fieldsOf(t) {
			property := schemaOf(f.Type)
			property.Description = f.Tag.Get("doc")
			if example := f.Tag.Get("example"); example != "" && f.Type.Kind() != reflect.Slice && f.Type.Kind() != reflect.Map {
				property.Examples = []string{example}
			}
			part.Properties[f.Tag.Get("yaml")] = property
		}
		return part
	}
	panic("canisterd: the schema has no form for " + t.String())
}

// keysPage is the part of the reference page that lists keys.
func keysPage(t reflect.Type) string {
	var text strings.Builder
	text.WriteString("| key | what it says | example |\n|---|---|---|\n")
	for f := range fieldsOf(t) {
		example := f.Tag.Get("example")
		if example != "" {
			example = "`" + example + "`"
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", f.Tag.Get("yaml"), f.Tag.Get("doc"), example)
	}
	return text.String()
}
