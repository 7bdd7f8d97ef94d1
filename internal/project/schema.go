package project

import (
	"reflect"

	"github.com/canisterd/canisterd/internal/quantity"
)

// SchemaPart is a part of a JSON schema.
type SchemaPart struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        any                    `json:"type,omitempty"` // a name, or several
	Pattern     string                 `json:"pattern,omitempty"`
	Examples    []string               `json:"examples,omitempty"`
	Properties  map[string]*SchemaPart `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	AnyOf       []*SchemaPart          `json:"anyOf,omitempty"`
	Items       *SchemaPart            `json:"items,omitempty"`
	Names       *SchemaPart            `json:"propertyNames,omitempty"`
	Others      any                    `json:"additionalProperties,omitempty"` // false, or a part
}

// Schema is the schema of canisterd.yaml.
func Schema() *SchemaPart {
	root := schemaOf(reflect.TypeFor[Project]())
	root.Schema, root.Title = "https://json-schema.org/draft/2020-12/schema", File
	root.Required = []string{"canisters"}
	canisters := root.Properties["canisters"]
	canisters.Names = &SchemaPart{Pattern: NameForm.String()}
	canister := canisters.Others.(*SchemaPart)
	for _, key := range []string{"wasm", "motoko", "rust", "clone"} {
		canister.AnyOf = append(canister.AnyOf, &SchemaPart{Required: []string{key}})
	}
	canister.Properties["motoko"].Required = []string{"main"}
	canister.Properties["rust"].Required = []string{"package"}
	canister.Properties["clone"].Required = []string{"id"}
	return root
}

func schemaOf(t reflect.Type) *SchemaPart {
	switch t {
	case reflect.TypeFor[quantity.Bytes](), reflect.TypeFor[quantity.Seconds](), reflect.TypeFor[quantity.Instructions]():
		return &SchemaPart{Type: []string{"integer", "string"}}
	case reflect.TypeFor[JSONText]():
		return &SchemaPart{Type: []string{"array", "string"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return &SchemaPart{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Map:
		return &SchemaPart{Type: "object", Others: schemaOf(t.Elem())}
	case reflect.Uint64:
		return &SchemaPart{Type: "integer"}
	case reflect.Bool:
		return &SchemaPart{Type: "boolean"}
	case reflect.String:
		return &SchemaPart{Type: []string{"string", "integer"}}
	case reflect.Struct:
		part := &SchemaPart{Type: "object", Properties: map[string]*SchemaPart{}, Others: false}
		for f := range fieldsOf(t) {
			property := schemaOf(f.Type)
			property.Description = f.Tag.Get("doc")
			if example := f.Tag.Get("example"); example != "" && property.Type != "array" && property.Type != "object" {
				property.Examples = []string{example}
			}
			part.Properties[f.Tag.Get("yaml")] = property
		}
		return part
	}
	panic("canisterd: the schema has no form for " + t.String())
}
