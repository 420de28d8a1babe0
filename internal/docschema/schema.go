package docschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Object is a part of a schema.
type Object = map[string]any

// maker makes one schema.
type maker struct {
	comments comments
	strict   bool
	defs     Object
	types    map[string]reflect.Type // of the definitions
}

// Run is the schema of run documents; root is the top of the source. A strict one refuses fields that the types do not
// have, which shows what the schema lacks: programs take others, as those of later versions have more.
func Run(root string, strict bool) (Object, error) {
	m, err := newMaker(root, strict)
	if err != nil {
		return nil, err
	}
	top := m.object(reflect.TypeFor[rundoc.Run]())
	var kinds []any
	for _, w := range Workloads() {
		detail := reflect.TypeOf(rundoc.DecodeDetail(w, []byte("{}"))).Elem()
		kinds = append(kinds, Object{
			"if":   Object{"properties": Object{"workload": Object{"const": w}}, "required": []string{"workload"}},
			"then": Object{"properties": Object{"detail": m.of(detail)}},
		})
	}
	top["allOf"] = kinds
	return m.document(top, "run", rundoc.Schema), nil
}

// Set is the schema of set documents, likewise.
func Set(root string, strict bool) (Object, error) {
	m, err := newMaker(root, strict)
	if err != nil {
		return nil, err
	}
	return m.document(m.object(reflect.TypeFor[setdoc.Set]()), "set", setdoc.Schema), nil
}

// Workloads are the kinds of runs whose detail a schema describes. A test finds one that is missing.
func Workloads() []string {
	return []string{
		rundoc.WorkloadBandwidth, rundoc.WorkloadChat, rundoc.WorkloadHTTP, rundoc.WorkloadOverhead, rundoc.WorkloadUpdates,
		rundoc.WorkloadWS,
	}
}

func newMaker(root string, strict bool) (*maker, error) {
	m := &maker{comments: comments{}, strict: strict, defs: Object{}, types: map[string]reflect.Type{}}
	for _, dir := range []string{"rundoc", "setdoc"} {
		if err := m.comments.read(filepath.Join(root, dir)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *maker) document(top Object, name, version string) Object {
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["$id"] = "urn:plimsoll:" + name + ":v1"
	top["title"] = "Plimsoll " + name + " document, " + version
	top["properties"].(Object)["schema"] = Object{"const": version, "description": "The version of the document."}
	top["$defs"] = m.defs
	return top
}

// filled are the lists that are written as [] where they are empty, as rundoc and setdoc do when they write a document;
// other lists and maps that are always there may be null.
func filled() []string {
	return []string{
		"rundoc.Run.Phases", "rundoc.Run.Operations", "rundoc.Run.Retries", "rundoc.Run.Series", "rundoc.Run.Warnings",
		"rundoc.Connections.Reconnects", "rundoc.Verdict.Reasons", "setdoc.Set.Members", "setdoc.Sweep.Vary",
		"setdoc.Sweep.Order", "setdoc.Sweep.Rows", "setdoc.Sweep.Levels", "setdoc.Launches.Values", "setdoc.Loadline.SLO",
		"setdoc.Loadline.Probes", "setdoc.Comparison.Looks", "setdoc.Comparison.Alphas", "setdoc.Comparison.Figures",
		"setdoc.Comparison.Launches", "setdoc.Comparison.Rows", "setdoc.Comparison.Doubts",
	}
}

// of is the schema of a type.
func (m *maker) of(t reflect.Type) Object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return Object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[rundoc.Detail]():
		return Object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Float64, reflect.Float32:
		return Object{"type": "number"}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint, reflect.Uint64, reflect.Uint32:
		return Object{"type": "integer"}
	case reflect.Slice:
		return Object{"type": "array", "items": m.of(t.Elem())}
	case reflect.Array:
		return Object{"type": "array", "items": m.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": m.of(t.Elem())}
	case reflect.Struct:
		return m.ref(t)
	}
	panic(fmt.Sprintf("%v has no schema", t)) // a test finds it
}

// ref points to the definition of a struct, which is made once.
func (m *maker) ref(t reflect.Type) Object {
	name := t.Name()
	if known, there := m.types[name]; there && known != t {
		name = nameOf(t)
	}
	if _, there := m.defs[name]; !there {
		m.types[name], m.defs[name] = t, nil // a type may have itself in it
		m.defs[name] = m.object(t)
	}
	return Object{"$ref": "#/$defs/" + name}
}

// nameOf is a type with its package: rundoc.Run.
func nameOf(t reflect.Type) string {
	return t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + "." + t.Name()
}

// object is the schema of a struct.
func (m *maker) object(t reflect.Type) Object {
	properties, required := Object{}, []string{}
	m.fields(t, properties, &required)
	o := Object{"type": "object", "properties": properties}
	if said := m.comments[nameOf(t)]; said != "" {
		o["description"] = said
	}
	if slices.Sort(required); len(required) > 0 {
		o["required"] = required
	}
	if m.strict {
		o["additionalProperties"] = false
	}
	return o
}

// fields adds those of a struct, and of the structs that are embedded in it.
func (m *maker) fields(t reflect.Type, properties Object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			m.fields(f.Type, properties, required)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		of := maps.Clone(m.of(f.Type))
		if said := m.described(nameOf(t)+"."+f.Name, name, f.Type); said != "" {
			of["description"] = said
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch kind := f.Type.Kind(); {
		case strings.HasSuffix(options, ",string") || options == "string":
			of["type"], of["pattern"] = "string", "^-?[0-9]+$" // more than 53 bits, which not every program reads
		case optional || len(of) == 0 || of["type"] == nil && of["$ref"] == nil:
		case kind == reflect.Pointer && of["$ref"] != nil:
			of = Object{"anyOf": []any{of, Object{"type": "null"}}}
		case kind == reflect.Pointer, kind == reflect.Map,
			kind == reflect.Slice && !slices.Contains(filled(), nameOf(t)+"."+f.Name):
			of["type"] = []any{of["type"], "null"}
		}
		properties[name] = of
		if !optional {
			*required = append(*required, name)
		}
	}
}

// described is what the source says of a field, and its unit.
func (m *maker) described(of, name string, t reflect.Type) string {
	said := m.comments[of]
	unit := ""
	switch {
	case t.Kind() == reflect.Bool:
	case strings.HasSuffix(name, "_ns"):
		unit = "Nanoseconds."
	case strings.HasSuffix(name, "bytes_per_s"):
		unit = "Bytes per second."
	case strings.HasSuffix(name, "_per_s"):
		unit = "Per second."
	case name == "bytes" || strings.HasSuffix(name, "_bytes"):
		unit = "Bytes."
	}
	if said != "" && unit != "" && !strings.HasSuffix(said, ".") {
		said += "."
	}
	return strings.TrimSpace(said + " " + unit)
}
