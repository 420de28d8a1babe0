package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What is about thresholds needs one.
func TestThresholdFlagsNeedAThreshold(t *testing.T) {
	for _, tt := range []struct {
		given []string
		want  string
	}{
		{nil, ""},
		{[]string{"threshold=p99<1s"}, ""},
		{[]string{"strict=true"}, "--strict needs --threshold"},
		{[]string{"strict=true", "threshold=p99<1s"}, ""},
		{[]string{"abort-on-miss=true"}, "--abort-on-miss needs --threshold"},
		{[]string{"abort-on-miss=true", "threshold=p99<1s", "threshold=p50<1s"}, ""},
	} {
		s := new(setting.Set).Group("", new(Goals).Settings(figure.Known{Kind: "http"})...)
		for _, one := range tt.given {
			name, value, _ := strings.Cut(one, "=")
			if err := s.Lookup(name).Set(value); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Check(); tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%q: %v", tt.given, err)
		}
	}
}

// A kind has figures of its own for comparisons, or the common ones.
func TestComparedFigures(t *testing.T) {
	want := []string{"rate", "p50", "p90", "p99", "failed", "cpu_per_operation"}
	if got := new(Kind).ComparedFigures(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	own := Kind{Compared: []string{"a"}}
	if got := own.ComparedFigures(); !slices.Equal(got, own.Compared) {
		t.Errorf("%q", got)
	}
	for limit, want := range map[float64]string{BusySuits: "", 0: "", 0.05: "5%"} {
		if got := BusyLimitSetting(&limit, "").String(); got != want {
			t.Errorf("%g: %q, want %q", limit, got, want)
		}
	}
	if BusySuits >= 0 {
		t.Error("what suits the machine is a limit")
	}
}

// What a run without a document leaves for whoever reads its tests.
func TestJUnitOfARunWithoutADocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.xml")
	lost := fault.New(fault.RunFailed, "nobody is there")
	for name, tt := range map[string]struct {
		path  string
		err   error
		files bool
	}{
		"asked for":     {path, lost, true},
		"not asked for": {"", lost, false},
		"nothing lost":  {path, nil, false},
	} {
		_ = os.Remove(path)
		f := Forms{JUnit: tt.path}
		if err := f.Lost(new(Env), "chat", tt.err); err != nil && err.Error() != tt.err.Error() || (err == nil) != (tt.err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		text, err := os.ReadFile(path)
		if (err == nil) != tt.files || tt.files && !strings.Contains(string(text), "nobody is there") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
	f := Forms{JUnit: t.TempDir()} // which is a directory
	if err := f.Lost(new(Env), "chat", lost); !errors.Is(err, lost) || !strings.Contains(err.Error(), "cannot write the JUnit file: ") {
		t.Errorf("%v", err)
	}
	set := &setdoc.Set{Verdict: rundoc.Verdict{Validity: rundoc.Valid}}
	if err := WriteJUnitOfSet(new(Env), path, set, []string{"a level does not follow"}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "a level does not follow") {
		t.Errorf("%s", text)
	}
}
