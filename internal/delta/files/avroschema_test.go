package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hamba/avro/v2"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// rowSchema is the schema of a row whose fields have these types, in the order key, mutation,
// time, value.
func rowSchema(head string, types ...string) string {
	var fields []string
	for i, name := range []string{delta.FieldKey, delta.FieldMutation, delta.FieldCommit, delta.FieldValue} {
		fields = append(fields, `{"name":"`+name+`","type":`+types[i]+`}`)
	}
	return `{"type":"record",` + head + `,"fields":[` + strings.Join(fields, ",") + `]}`
}

// libraryPlan is the plan that the library's reading of a schema leads to.
func libraryPlan(t *testing.T, schema string) (*avroPlan, error) {
	t.Helper()
	s, err := avro.ParseBytesWithCache([]byte(schema), "", &avro.SchemaCache{})
	if err != nil {
		return nil, err
	}
	return planOf(ofLibrary(s))
}

func ofLibrary(s avro.Schema) *avroType {
	switch s := s.(type) {
	case *avro.RefSchema:
		if s.Schema().Type() == avro.Record { // which may be the one that it is in
			return &avroType{kind: "record"}
		}
		return ofLibrary(s.Schema())
	case *avro.RecordSchema:
		t := &avroType{kind: "record"}
		for _, f := range s.Fields() {
			t.fields = append(t.fields, avroNamed{f.Name(), ofLibrary(f.Type())})
		}
		return t
	case *avro.EnumSchema:
		t := &avroType{kind: "enum"}
		for _, name := range s.Symbols() {
			t.symbols = append(t.symbols, []byte(name))
		}
		return t
	case *avro.ArraySchema:
		return &avroType{kind: "array", items: ofLibrary(s.Items())}
	case *avro.UnionSchema:
		t := &avroType{kind: "union"}
		for _, branch := range s.Types() {
			t.branches = append(t.branches, ofLibrary(branch))
		}
		return t
	}
	return &avroType{kind: string(s.Type())}
}

func ownPlan(schema string) (*avroPlan, error) {
	t, err := parseAvroSchema([]byte(schema))
	if err != nil {
		return nil, err
	}
	return planOf(t)
}

// Whatever schema the library takes for one of a row, so do we, and with the same meaning.
func TestAvroSchemaMatchesLibrary(t *testing.T) {
	const (
		head = `"name":"R","namespace":"a.b"`
		text = `"string"`
		long = `"long"`
		enum = `{"type":"enum","name":"M","symbols":["DELETE","UPDATE"]}`
	)
	for name, tt := range map[string]struct {
		schema string
		bad    bool
	}{
		"ours":  {delta.AvroSchema, false},
		"plain": {rowSchema(head, text, text, long, text), false},
		"types as objects": {rowSchema(head, `{"type":"string","avro.java.string":"String"}`, enum,
			`{"type":"long","logicalType":"timestamp-millis"}`, `{"type":"bytes"}`), false},
		"a set": {rowSchema(head, text, enum, long, `{"type":"array","items":{"type":"string"}}`), false},
		"a set of sets": {rowSchema(head, text, enum, long,
			`{"type":"array","items":{"type":"array","items":"string"}}`), true},
		"nullable": {rowSchema(head, text, `["null",`+enum+`]`, `["int","null"]`, `["null","bytes"]`),
			false},
		"null itself":              {rowSchema(head, text, enum, long, `[null,"bytes"]`), false},
		"a union in an object":     {rowSchema(head, text, enum, long, `{"type":["null","bytes"]}`), false},
		"by its short name":        {rowSchema(head, text, enum, long, `["null","M"]`), false},
		"by its full name":         {rowSchema(head, text, enum, long, `["null","a.b.M"]`), false},
		"by its name in an object": {rowSchema(head, text, enum, long, `{"type":"M"}`), false},
		"of another namespace": {rowSchema(head, text,
			`{"type":"enum","name":"M","namespace":"c","symbols":["UPDATE"]}`, long, `"c.M"`), false},
		"the namespace in the name": {rowSchema(`"name":"d.R"`, text, enum, long, `["null","d.M"]`), false},
		"without a namespace":       {rowSchema(`"name":"R"`, text, enum, long, `["null","M"]`), false},
		"of a namespace that is not": {rowSchema(head, text,
			`{"type":"enum","name":"M","namespace":"c","symbols":["UPDATE"]}`, long, `"M"`), true},
		"used before it is there": {rowSchema(head, text, `"M"`, long, enum), true},
		"itself":                  {rowSchema(head, text, text, long, `["null","R"]`), true},
		"an error": {strings.Replace(rowSchema(head, text, text, long, text), "record", "error", 1),
			false},
		"twice the same name":      {rowSchema(head, text, enum, long, enum), true},
		"a union in a union":       {rowSchema(head, text, text, long, `["null",["string"]]`), true},
		"a fixed":                  {rowSchema(head, text, text, long, `{"type":"fixed","name":"F","size":4}`), true},
		"a map":                    {rowSchema(head, text, text, long, `{"type":"map","values":"string"}`), true},
		"a boolean":                {rowSchema(head, text, text, long, `"boolean"`), true},
		"an unknown type":          {rowSchema(head, text, text, long, `"text"`), true},
		"a number for a type":      {rowSchema(head, text, text, long, `7`), true},
		"an object without a type": {rowSchema(head, text, text, long, `{}`), true},
		"an array of nothing":      {rowSchema(head, text, text, long, `{"type":"array"}`), true},
		"an enum without a name":   {rowSchema(head, text, `{"type":"enum","symbols":["UPDATE"]}`, long, text), true},
		"an enum without symbols":  {rowSchema(head, text, `{"type":"enum","name":"M"}`, long, text), true},
		"an enum of numbers": {rowSchema(head, text, `{"type":"enum","name":"M","symbols":[1]}`, long, text),
			true},
		"a record without a name": {rowSchema(`"doc":""`, text, text, long, text), true},
		"a record without fields": {`{"type":"record","name":"R"}`, true},
		"a field without a type":  {`{"type":"record","name":"R","fields":[{"name":"key"}]}`, true},
		"a field without a name":  {`{"type":"record","name":"R","fields":[{"type":"string"}]}`, true},
		"a field twice": {strings.Replace(rowSchema(head, text, text, long, text), `"value"`, `"key"`, 1),
			true},
		"no JSON": {`{"type":`, true},
		"nothing": {``, true},
	} {
		want, wantErr := libraryPlan(t, tt.schema)
		got, err := ownPlan(tt.schema)
		if (err != nil) != tt.bad || (wantErr != nil) != tt.bad {
			t.Errorf("%s: %v; the library: %v", name, err, wantErr)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(avroPlan{}, avroField{}, shape{})); diff != "" {
			t.Errorf("%s (-library +ours):\n%s", name, diff)
		}
	}
}

// No schema makes the reader of schemas fail but with an error.
func FuzzAvroSchema(f *testing.F) {
	f.Add(delta.AvroSchema)
	f.Add(rowSchema(`"name":"a.R"`, `"string"`, `{"type":"enum","name":"M","symbols":["UPDATE"]}`, `{"type":"long"}`,
		`["null","M",{"type":"array","items":"R"}]`))
	f.Fuzz(func(t *testing.T, schema string) {
		plan, err := ownPlan(schema)
		if (plan == nil) == (err == nil) {
			t.Errorf("%v, %v", plan, err)
		}
	})
}
