package docschematest_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/docschema/docschematest"
)

// TestFormats: what a schema says of formats is held against documents.
func TestFormats(t *testing.T) {
	s := docschematest.Compile(t, map[string]any{"type": "string", "format": "date-time"})
	for text, good := range map[any]bool{"2026-11-21T20:47:00Z": true, "yesterday": false, "": false} {
		if err := s.Validate(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
