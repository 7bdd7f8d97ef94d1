package project

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// JSONText is a value of JSON, as text. In YAML it is this text, or the value itself as YAML: a list of arguments.
type JSONText string

// UnmarshalYAML reads the text, or makes it of a list or map.
func (j *JSONText) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*j = JSONText(node.Value)
		return nil
	}
	var text strings.Builder
	if err := writeJSON(&text, node); err != nil {
		return err
	}
	*j = JSONText(text.String())
	return nil
}

// writeJSON writes a value of YAML as JSON. Numbers keep all their digits.
func writeJSON(text *strings.Builder, node *yaml.Node) error {
	switch node.Kind {
	case yaml.AliasNode:
		return writeJSON(text, node.Alias)
	case yaml.SequenceNode:
		return writeParts(text, "[]", node.Content, 1)
	case yaml.MappingNode:
		return writeParts(text, "{}", node.Content, 2)
	}
	if (node.Tag == "!!int" || node.Tag == "!!float") && json.Valid([]byte(node.Value)) {
		text.WriteString(node.Value)
		return nil
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	if node.Tag == "!!timestamp" {
		value = node.Value
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("line %d: %q cannot be written in JSON", node.Line, node.Value)
	}
	text.Write(encoded)
	return nil
}

// writeParts writes the parts of a list, or of a map with two nodes for each entry.
func writeParts(text *strings.Builder, brackets string, parts []*yaml.Node, each int) error {
	text.WriteByte(brackets[0])
	for i, part := range parts {
		switch {
		case i%each == 1:
			text.WriteByte(':')
		case i > 0:
			text.WriteByte(',')
		}
		if each == 2 && i%each == 0 { // a key is a text in JSON
			part = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: part.Value, Line: part.Line}
		}
		if err := writeJSON(text, part); err != nil {
			return err
		}
	}
	text.WriteByte(brackets[1])
	return nil
}
