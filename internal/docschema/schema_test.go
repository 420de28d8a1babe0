package docschema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/plimsoll/plimsoll/internal/docschema/docschematest"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

var update = flag.Bool("update", false, "write the schemas")

const root = "../.."

// schemas are both, by the schema that their documents name.
func schemas(t *testing.T, strict bool) map[string]Object {
	t.Helper()
	run, err := Run(root, strict)
	if err != nil {
		t.Fatal(err)
	}
	set, err := Set(root, strict)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Object{rundoc.Schema: run, setdoc.Schema: set}
}

// compiled are the schemas as something to validate with.
func compiled(t *testing.T, strict bool) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	for name, schema := range schemas(t, strict) {
		out[name] = docschematest.Compile(t, schema)
	}
	return out
}

// TestSchemasAreCurrent: the files are what the types and their comments make.
func TestSchemasAreCurrent(t *testing.T) {
	for name, file := range map[string]string{rundoc.Schema: "run.schema.json", setdoc.Schema: "set.schema.json"} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(schemas(t, false)[name]); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, "docs", file)
		if *update {
			if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text.Bytes()) {
			t.Errorf("%s is not what the source says, %v: run 'go test ./internal/docschema -update'", path, err)
		}
	}
}

// TestEveryWorkload: no detail is left out.
func TestEveryWorkload(t *testing.T) {
	for _, w := range Workloads() {
		if _, raw := rundoc.DecodeDetail(w, []byte("{}")).(rundoc.RawDetail); raw {
			t.Errorf("%s has no detail", w)
		}
	}
	text, err := os.ReadFile(root + "/rundoc/detail.go")
	if n := strings.Count(string(text), "\t\tkindOf["); err != nil || n != len(Workloads()) {
		t.Errorf("rundoc knows %d kinds: %v", n, err)
	}
}

// documents are all that the repository keeps, by their paths.
func documents(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case filepath.Ext(path) != ".json":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if o, ok := tree.(map[string]any); ok && err == nil {
			if s := fmt.Sprint(o["schema"]); s == rundoc.Schema || s == setdoc.Schema {
				all[strings.TrimPrefix(path, root+"/")] = tree
			}
		}
		return nil
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("%d documents: %v", len(all), err)
	}
	return all
}

// TestKeptDocuments: each document that is kept is valid, and has no field that the schema does not have.
func TestKeptDocuments(t *testing.T) {
	lenient, strict := compiled(t, false), compiled(t, true)
	for path, doc := range documents(t) {
		name := fmt.Sprint(doc.(map[string]any)["schema"])
		if err := lenient[name].Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := strict[name].Validate(doc); err != nil {
			t.Errorf("%s, strictly: %v", path, err)
		}
		// A field of a later version is taken, and the strict schema would show that it lacks one.
		doc.(map[string]any)["verdict"].(map[string]any)["from_later"] = true
		if lenient[name].Validate(doc) != nil || strict[name].Validate(doc) == nil {
			t.Errorf("%s with a field that is not known: refused, or strictly taken", path)
		}
	}
}
