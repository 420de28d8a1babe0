package saved_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/fault/faulttest"
	"github.com/plimsoll/plimsoll/internal/saved"
)

// Each name of a run with one error of spelling leads to it, or to one that is as near.
func TestRunNamesWithOneError(t *testing.T) {
	s := &saved.Runs{Dir: t.TempDir()}
	names := []string{"last", "last~1", "20261121T204700.123Z-1f3a", "20261122T081500.999Z-aaaa"}
	for _, id := range names[2:] {
		// Only what has a document is a run.
		path := s.Path(id)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	meant := regexp.MustCompile(`^did you mean ([^ ]+)\? `)
	tried := 0
	for _, name := range names {
		for _, word := range faulttest.OneError(name) {
			_, err := s.Find(word)
			if err == nil || slices.Contains(names, word) {
				continue // a name, or the beginning of one
			}
			if regexp.MustCompile(`^last~\d+$`).MatchString(word) {
				continue // a name, of a run that is too far back
			}
			tried++
			m := meant.FindStringSubmatch(fault.HintOf(err))
			if m == nil || fault.EditDistance(word, m[1]) > 1 {
				t.Errorf("%s (%s): %v, %q", word, name, err, fault.HintOf(err))
			}
		}
	}
	if tried < 400 {
		t.Errorf("%d words: are they still tried?", tried)
	}
}
