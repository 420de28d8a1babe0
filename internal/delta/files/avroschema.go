package files

import (
	"encoding/json"
	"fmt"
	"strings"
)

// avroType is what a schema says of a value (Avro 1.12, "Schema Declaration"), as far as a row
// needs it. Reading it is our own: the library for it brings a JSON parser and an own reflection,
// and by one of its types the linker keeps each method of every type of the program, which is a
// third of its size.
type avroType struct {
	kind     string      // as the specification calls it: "long", "enum", "union"
	fields   []avroNamed // of a record
	symbols  [][]byte    // of an enum
	items    *avroType   // of an array
	branches []*avroType // of a union
}

type avroNamed struct {
	name string
	of   *avroType
}

// avroTypes are the types of a schema that have names, by their full names.
type avroTypes map[string]*avroType

func parseAvroSchema(text []byte) (*avroType, error) {
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	return avroTypes{}.parse(schema, "")
}

// parse reads a type that stands where names without a namespace are of the one given.
func (types avroTypes) parse(schema any, namespace string) (*avroType, error) {
	switch s := schema.(type) {
	case nil: // which some write for "null"
		return &avroType{kind: "null"}, nil
	case string:
		return types.lookUp(s, namespace)
	case []any:
		return types.union(s, namespace)
	case map[string]any:
		switch kind := s["type"].(type) {
		case string:
			return types.declared(kind, s, namespace)
		case []any: // against the specification, but seen
			return types.union(kind, namespace)
		}
	}
	return nil, fmt.Errorf("%v is not a type", schema)
}

func (types avroTypes) lookUp(name, namespace string) (*avroType, error) {
	switch name {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return &avroType{kind: name}, nil
	}
	if t := types[fullAvroName(name, namespace)]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("unknown type %q", name)
}

func (types avroTypes) union(schemas []any, namespace string) (*avroType, error) {
	u := &avroType{kind: "union"}
	for _, s := range schemas {
		t, err := types.parse(s, namespace)
		if err != nil {
			return nil, err
		}
		if t.kind == "union" {
			return nil, fmt.Errorf("%v is a union inside a union", s)
		}
		u.branches = append(u.branches, t)
	}
	return u, nil
}

func (types avroTypes) declared(kind string, s map[string]any, namespace string) (*avroType, error) {
	t := &avroType{kind: kind}
	switch kind {
	case "map":
		_, err := types.parse(s["values"], namespace)
		return t, err
	case "array":
		items, err := types.parse(s["items"], namespace)
		t.items = items
		return t, err
	case "fixed", "enum", "record", "error":
	default:
		return types.lookUp(kind, namespace)
	}
	name, ok := s["name"].(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("the type %s requires a name", kind)
	}
	if own, _ := s["namespace"].(string); own != "" {
		namespace = own
	}
	full := fullAvroName(name, namespace)
	if types[full] != nil {
		return nil, fmt.Errorf("duplicate type %q", full)
	}
	types[full] = t // before its fields are read, which may be of this type
	switch kind {
	case "enum":
		return t, t.readSymbols(s["symbols"])
	case "fixed":
		return t, nil
	}
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		namespace = full[:i]
	}
	return t, types.readFields(t, s["fields"], namespace)
}

func (t *avroType) readSymbols(list any) error {
	symbols, ok := list.([]any)
	for _, s := range symbols {
		name, isText := s.(string)
		ok = ok && isText
		t.symbols = append(t.symbols, []byte(name))
	}
	if !ok {
		return fmt.Errorf("the symbols of an enum must be a list of names, not %v", list)
	}
	return nil
}

func (types avroTypes) readFields(record *avroType, list any, namespace string) error {
	fields, ok := list.([]any)
	if !ok {
		return fmt.Errorf("the fields of a record must be a list, not %v", list)
	}
	seen := map[string]bool{}
	for _, f := range fields {
		field, _ := f.(map[string]any)
		name, _ := field["name"].(string)
		typ, ok := field["type"]
		if !ok || name == "" {
			return fmt.Errorf("a field must have a name and a type, not %v", f)
		}
		if seen[name] {
			return fmt.Errorf("duplicate field %q", name)
		}
		seen[name] = true
		t, err := types.parse(typ, namespace)
		if err != nil {
			return err
		}
		record.fields = append(record.fields, avroNamed{name, t})
	}
	return nil
}

func fullAvroName(name, namespace string) string {
	if namespace == "" || strings.Contains(name, ".") {
		return name
	}
	return namespace + "." + name
}
