package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStages(t *testing.T) {
	want := []Stage{{10 * time.Second, 2000}, {30 * time.Second, 2000}, {10 * time.Second, 0}}
	got, err := ParseStages("10s:2000, 30s:2000,PT10S:0")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := FormatStages(got); s != "10s:2000,30s:2000,10s:0" {
		t.Errorf("FormatStages = %q", s)
	}
	bad := map[string]string{
		"":               "no stage given",
		"10s":            "stage 1: \"10s\" has no colon",
		"10s:5,":         "stage 2: \"\" has no colon",
		"ten:5":          "\"ten\" is not a duration",
		"10s:fast":       "\"fast\" is not a rate",
		"0s:5":           "it must be above 0",
		"-1s:5":          "it must be above 0",
		"1s:-5":          "its rate is -5",
		"1s:NaN":         "its rate is NaN",
		"1s:1,1s:1e9":    "stage 2: its rate is 1e+09",
		"1s:1,1s:Inf":    "its rate is +Inf",
		"1s:1;1s:1,,2s:": "is not a rate",
	}
	for in, want := range bad {
		if got, err := ParseStages(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseStages(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func FuzzParseStages(f *testing.F) {
	f.Add("10s:2000,30s:2000,10s:0")
	f.Add("PT1S:0.5")
	f.Fuzz(func(t *testing.T, s string) {
		stages, err := ParseStages(s)
		if err != nil {
			return
		}
		again, err := ParseStages(FormatStages(stages))
		if err != nil {
			t.Fatalf("%q reads as %v, which does not read back: %v", s, stages, err)
		}
		if diff := cmp.Diff(stages, again); diff != "" {
			t.Error(diff)
		}
	})
}
