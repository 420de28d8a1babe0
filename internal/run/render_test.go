package run

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// A set document that does not follow from its own figures is not to be trusted.
func TestEdited(t *testing.T) {
	if err := Edited(nil); err != nil {
		t.Error(err)
	}
	err := Edited([]string{"the best level is another", "and so is the next"})
	if fault.CodeOf(err) != fault.Untrusted || err.Error() != "the document cannot be trusted: the best level is another" {
		t.Errorf("%v, %v", fault.CodeOf(err), err)
	}
}
