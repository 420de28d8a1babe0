package planfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/plimsoll/plimsoll/internal/docschema/docschematest"
	"github.com/plimsoll/plimsoll/internal/planfile"
)

// schemaFile is kept so that editors can be pointed at it.
var schemaFile = filepath.Join("..", "..", "docs", "plan.schema.json")

func TestTheKeptSchemaIsThatOfTheProgram(t *testing.T) {
	want, err := planfile.JSONSchema(kinds())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("docs/plan.schema.json is another: run 'go run ./cmd/plimsoll plan --schema > docs/plan.schema.json'")
	}
}

// compiled is the schema, as somebody else reads it, by draft 2020-12.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := planfile.JSONSchema(kinds())
	if err != nil {
		t.Fatal(err)
	}
	return docschematest.Compile(t, json.RawMessage(text))
}

// The files are in JSON here, which is YAML as well: both readers see the same.
func TestTheSchemaTakesWhatThePlanReaderTakes(t *testing.T) {
	s := compiled(t)
	for name, text := range map[string]string{
		"least": `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat"}]}`,
		"most": `{"plan": "plimsoll.plan/v1", "defaults": {"seed": 7, "streams": 2},
			"runs": [
				{"name": "a", "kind": "chat", "arguments": ["ws://h/"], "settings": {"clients": 8, "rate": 12.5,
					"header": ["A: ${B}"], "text-share": 0.9, "insecure": false, "arrivals": "poisson", "label": "x"}},
				{"kind": "bandwidth", "arguments": "64m", "settings": {"data": "text", "block": "1MiB", "policy": "prefetch,random"}},
				{"kind": "overhead", "settings": {"calls": "${CALLS:-10}", "tls": "${TLS:-true}"}},
				{"kind": "updates", "settings": {"codec": "json", "deletes": "5%"}}]}`,
		"a variable": `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "${KIND}", "settings": {"clients": "1_0"}}]}`,
	} {
		text = strings.ReplaceAll(text, "\t", " ") // YAML has none in its indents
		if _, err := read(text, map[string]string{"B": "x", "KIND": "chat"}); err != nil {
			t.Errorf("%s: the reader refuses it: %v", name, err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: the schema refuses it: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatThePlanReaderRefuses(t *testing.T) {
	s := compiled(t)
	for name, text := range map[string]string{
		"no runs":        `{"plan": "plimsoll.plan/v1"}`,
		"empty runs":     `{"plan": "plimsoll.plan/v1", "runs": []}`,
		"newer":          `{"plan": "plimsoll.plan/v2", "runs": [{"kind": "chat"}]}`,
		"key":            `{"plan": "plimsoll.plan/v1", "run": [], "runs": [{"kind": "chat"}]}`,
		"key of a run":   `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "clients": 3}]}`,
		"no kind":        `{"plan": "plimsoll.plan/v1", "runs": [{"name": "x"}]}`,
		"kind":           `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chta"}]}`,
		"setting":        `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"client": 3}}]}`,
		"another kind":   `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"streams": 3}}]}`,
		"type":           `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"clients": "many"}}]}`,
		"part":           `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"clients": 1.5}}]}`,
		"word":           `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "bandwidth", "settings": {"data": "noise"}}]}`,
		"list":           `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"clients": [1]}}]}`,
		"default":        `{"plan": "plimsoll.plan/v1", "defaults": {"romos": 1}, "runs": [{"kind": "chat"}]}`,
		"of the command": `{"plan": "plimsoll.plan/v1", "runs": [{"kind": "chat", "settings": {"json": true}}]}`,
	} {
		if _, err := read(text, nil); err == nil {
			t.Errorf("%s: the reader takes it", name)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err == nil {
			t.Errorf("%s: the schema takes it", name)
		}
	}
}
