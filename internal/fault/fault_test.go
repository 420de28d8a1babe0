package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Scripts rely on the numbers.
func TestExitCodesAreStable(t *testing.T) {
	for code, want := range map[fault.Code]int{
		fault.OK: 0, fault.RunFailed: 1, fault.Usage: 2, fault.Missed: 3, fault.Untrusted: 4, fault.Interrupted: 130,
	} {
		if int(code) != want {
			t.Errorf("%d, want %d", code, want)
		}
	}
}

// The outermost code and hint count, and Error does not show the hint.
func TestCodeAndHintOfWrappedErrors(t *testing.T) {
	plain := errors.New("plain")
	inner := fault.New(fault.Untrusted, "inner: %w", plain).Hint("do %d things", 2)
	for _, c := range []struct {
		err        error
		code       fault.Code
		text, hint string
	}{
		{nil, fault.OK, "", ""},
		{plain, fault.RunFailed, "plain", ""},
		{fmt.Errorf("around: %w", plain), fault.RunFailed, "around: plain", ""},
		{inner, fault.Untrusted, "inner: plain", "do 2 things"},
		{fmt.Errorf("around: %w", inner), fault.Untrusted, "around: inner: plain", "do 2 things"},
		{fault.New(fault.Usage, "outer: %w", inner), fault.Usage, "outer: inner: plain", "do 2 things"},
		{fault.New(fault.Usage, "outer: %w", inner).Hint("no"), fault.Usage, "outer: inner: plain", "no"},
		{fault.New(fault.Missed, "bare"), fault.Missed, "bare", ""},
	} {
		if code, hint := fault.CodeOf(c.err), fault.HintOf(c.err); code != c.code || hint != c.hint {
			t.Errorf("%v: %d, %q; want %d, %q", c.err, code, hint, c.code, c.hint)
		}
		if c.err != nil && c.err.Error() != c.text {
			t.Errorf("%q, want %q", c.err, c.text)
		}
	}
	if !errors.Is(fault.New(fault.Usage, "outer: %w", inner), plain) {
		t.Error("what was wrapped is not found")
	}
	bare := fault.New(fault.Usage, "bare")
	if _ = bare.Hint("no"); fault.HintOf(bare) != "" {
		t.Error("a hint changed the error itself")
	}
}
