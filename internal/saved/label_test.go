package saved

import (
	"slices"
	"strings"
	"testing"
)

func TestLabels(t *testing.T) {
	var labels []string
	s := LabelSetting(&labels, "label", "")
	for _, text := range []string{"nightly", " before the change ", "nightly", "größer", strings.Repeat("ö", 60)} {
		if err := s.Set(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if want := []string{"nightly", "before the change", "größer", strings.Repeat("ö", 60)}; !slices.Equal(labels, want) {
		t.Errorf("%q, want %q", labels, want)
	}
	for text, want := range map[string]string{
		"": "the label is empty", " \t": "the label is empty",
		"a\nb": `"a\nb" contains characters that cannot be printed`, "\x1b[31m": "cannot be printed",
		"\xff": "not valid UTF-8", strings.Repeat("x", 61): "has 61 characters; a label can have at most 60",
	} {
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if len(labels) != 4 {
		t.Errorf("kept: %q", labels)
	}
}
