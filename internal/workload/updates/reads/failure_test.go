package reads

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// TestReadFailureCauses: by the word for a server's status, or else its number; of a run that ends it is unfinished.
func TestReadFailureCauses(t *testing.T) {
	for _, c := range []struct {
		err     error
		cause   string
		timeout bool
	}{
		{&kvapi.StatusError{Status: 503}, "slow-down", false},
		{&kvapi.StatusError{Status: 408}, "timeout", true},
		{&kvapi.StatusError{Status: 418}, "status-418", false},
		{fmt.Errorf("reading: %w", &kvapi.StatusError{Status: 404}), "no-such-file", false},
		{context.DeadlineExceeded, "timeout", true},
	} {
		f := failure(t.Context(), c.err)
		if f.Cause != c.cause || f.Timeout != c.timeout || !errors.Is(f.Err, c.err) {
			t.Errorf("%v: %+v, want %s", c.err, f, c.cause)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if f := failure(over, errors.New("cut")); f != op.ErrUnfinished {
		t.Errorf("of a run that ends: %+v", f)
	}
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	if f := failure(late, late.Err()); f == op.ErrUnfinished || !f.Timeout {
		t.Errorf("of an attempt whose time is over: %+v", f)
	}
}

// TestNilReading: a run without reads ends and abandons none.
func TestNilReading(t *testing.T) {
	var none *Reading
	none.Abandon()
	if d, err := none.End(); d != nil || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
}
