package cli_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/plimsoll/plimsoll/internal/docschema"
	"github.com/plimsoll/plimsoll/internal/docschema/docschematest"
)

// TestFreshDocumentsMatchTheirSchema makes a run of each kind, and a set of two kinds.
func TestFreshDocumentsMatchTheirSchema(t *testing.T) {
	t.Parallel()
	run, set := compiledSchema(t, docschema.Run), compiledSchema(t, docschema.Set)
	dir := t.TempDir()
	for name, test := range map[string]struct {
		schema *jsonschema.Schema
		args   []string
	}{
		"chat":      {run, []string{"chat", "--messages", "200", "--rate", "500", "--threshold", "p99<10s"}},
		"ws":        {run, []string{"ws", "--messages", "200", "--samples", filepath.Join(dir, "s.parquet")}},
		"fanout":    {run, []string{"chat", "--messages", "40", "--fanout", "--receivers", "10"}},
		"http":      {run, []string{"http", "--count", "200", "--rate", "500"}},
		"bandwidth": {run, []string{"bandwidth", "1m"}},
		"overhead":  {run, []string{"overhead", "DynamoDB/GetItem", "--calls", "20", "--warmup-time", "0"}},
		"updates":   {run, []string{"updates", "--rate", "50", "--batch", "20", "--duration", "200ms", "--warmup-time", "0"}},
		"sweep":     {set, []string{"sweep", "chat", "--vary", "clients=1,2", "--repeat", "1", "--messages", "100", "--rooms", "1", "--warmup-time", "0s", "--pause", "0s"}},
		"compare":   {set, []string{"compare", "--repeat", "1", "http", "http", "--", "--count", "50", "--warmup-time", "0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			at := slices.Index(test.args, "--") // behind it stand settings of both sides
			if at < 0 {
				at = len(test.args)
			}
			cmd := exec.CommandContext(t.Context(), "plimsoll", slices.Insert(test.args, at, "--json", "--no-save", "--quiet")...)
			var said bytes.Buffer
			cmd.Stderr = &said
			out, _ := cmd.Output() // a busy machine makes no difference to what the document has
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
			if err != nil {
				t.Fatalf("%v: %s", err, &said)
			}
			if err := test.schema.Validate(doc); err != nil {
				t.Error(err)
			}
		})
	}
}

func compiledSchema(t *testing.T, of func(root string, strict bool) (docschema.Object, error)) *jsonschema.Schema {
	t.Helper()
	schema, err := of("../..", true)
	if err != nil {
		t.Fatal(err)
	}
	return docschematest.Compile(t, schema)
}
