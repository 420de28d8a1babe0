package rundoc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
)

// sameDocument compares documents as they are written: raw JSON by its meaning.
var sameDocument = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a)+len(b) > 0 },
		cmp.Transformer("json", func(raw json.RawMessage) any {
			var v any
			_ = json.Unmarshal(raw, &v)
			return v
		})),
}

// reread is a document that was written, and read as one of another workload.
func reread(t testing.TB, run *rundoc.Run, workload string) *rundoc.Run {
	var text bytes.Buffer
	changed := *run
	changed.Workload = workload
	if err := rundoc.Write(&text, &changed); err != nil {
		t.Fatal(err)
	}
	again, err := rundoc.Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestWriteAndReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	run := soundRun(t)
	run.Started = time.Date(2026, 5, 1, 12, 0, 0, 5, time.FixedZone("", 7200))
	run.Target.URL = "ws://a/?b=1&c=<2>"
	run.Verdict = rundoc.Judge(run)
	for range 2 { // the second time it replaces the first
		if err := rundoc.WriteFile(path, run); err != nil {
			t.Fatal(err)
		}
	}
	got, err := rundoc.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run, got, sameDocument); diff != "" {
		t.Error(diff)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{`"started": "2026-05-01T10:00:00.000000005Z"`, `"ws://a/?b=1&c=<2>"`,
		`"warnings": []`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in the file", want)
		}
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestWriteFileKeepsTheOldFileOnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	if err := rundoc.WriteFile(path, soundRun(t)); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	bad := soundRun(t)
	bad.Little.Difference = math.NaN()
	if err := rundoc.WriteFile(path, bad); err == nil {
		t.Fatal("wrote a number that JSON does not have")
	}
	after, _ := os.ReadFile(path)
	left, _ := os.ReadDir(dir)
	if !bytes.Equal(before, after) || len(left) != 1 {
		t.Errorf("the file changed, or files were left: %v", left)
	}
	if err := rundoc.WriteFile(filepath.Join(dir, "none", "run.json"), bad); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A baseline that is a link to another file stays one.
func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("run.json", link); err != nil {
		t.Skip(err)
	}
	for range 2 { // the first time there is no run.json
		if err := rundoc.WriteFile(link, soundRun(t)); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); to != "run.json" || err != nil {
			t.Errorf("it is no link any more: %q, %v", to, err)
		}
		if _, err := rundoc.ReadFile(filepath.Join(dir, "run.json")); err != nil {
			t.Error(err)
		}
	}
	if err := rundoc.WriteFile(dir, soundRun(t)); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("error %v", err)
	}
}

func TestReadRejects(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", " \n", "run.json: empty"},
		{"no JSON", "{\n\"schema\": \"plimsoll.run/v1\",\n,}", "run.json:3: not a run document: invalid character"},
		{"cut off", `{"schema":"plimsoll.run/v1","id":`, "unexpected end"},
		{"text after it", `{"schema":"plimsoll.run/v1"}{}`, "after top-level value"},
		{"a list", `[]`, "not a run document"},
		{"no schema", `{}`, "it has no schema"},
		{"another version", `{"schema":"plimsoll.run/v2","phases":7}`, "of another version of Plimsoll"},
		{"another schema", `{"schema":"vegeta/v1"}`, `it is a "vegeta/v1"`},
		{"a wrong type", "{\"schema\":\"plimsoll.run/v1\",\n\"operations\":[{\"ok\":\"x\"}]}",
			"run.json:2: not a run document: json: cannot unmarshal string"},
		{"a number that is too large", `{"schema":"plimsoll.run/v1","operations":[{"ok":9223372036854775808}]}`,
			"cannot unmarshal number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := rundoc.ReadFile(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if wantSchema := strings.Contains(tt.want, "schema") ||
				strings.Contains(tt.name, "another"); errors.Is(err, rundoc.ErrSchema) != wantSchema {
				t.Errorf("ErrSchema in %v: %v", err, !wantSchema)
			}
		})
	}
}

func TestReadRejectsOversizedDocuments(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"schema":"`), readerFunc(func(p []byte) (int, error) {
		for i := range p {
			p[i] = 'x'
		}
		return len(p), nil
	}))
	if _, err := rundoc.Read(endless); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReadToleratesUnknownFields(t *testing.T) {
	run, err := rundoc.Read(strings.NewReader(`{"schema":"plimsoll.run/v1","moon":{"phase":3},"id":"7"}`))
	if err != nil || run.ID != "7" {
		t.Errorf("%+v, %v", run, err)
	}
}

func FuzzRead(f *testing.F) {
	var sound bytes.Buffer
	if err := rundoc.Write(&sound, withCourse(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(sound.Bytes())
	f.Add([]byte(`{"schema":"plimsoll.run/v1","ledger":{"window_ns":9223372036854775807},"series":[{"ok":9223372036854775807,` +
		`"second":-9223372036854775808,"seconds":9223372036854775807}],"slices":[{"from_s":-1,"seconds":-1}]}`))
	f.Add([]byte(`{"schema":"plimsoll.run/v1","operations":[{"scheduled":-1,"response_time":{"count":1}}],"series":[{"second":5}]}`))
	f.Add([]byte(`{"schema":"plimsoll.run/v1","ledger":{"clients":-3,"window_ns":-9223372036854775808},"little":{"samples":200}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := rundoc.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		// Whatever can be read can be judged and written, and means the same then.
		verdict := rundoc.Judge(run)
		rundoc.Warnings(run)
		var out bytes.Buffer
		if err := rundoc.Write(&out, run); err != nil {
			t.Skip("a date that JSON cannot express: ", err)
		}
		again, err := rundoc.Read(&out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(verdict, rundoc.Judge(again)); diff != "" {
			t.Error(diff)
		}
	})
}
