package rundoc

import "testing"

// Documents that were saved have these words, and a report of one is of no use to who cannot read them any more. A
// change of the rules has another number, and comes with what documents of the old one mean.
func TestWordsOfVerdicts(t *testing.T) {
	for validity, want := range map[Validity]string{
		Valid: "valid", Seen: "valid as far as seen", Suspect: "suspect", Invalid: "invalid",
	} {
		if string(validity) != want {
			t.Errorf("%q, and documents have %q", validity, want)
		}
	}
	// 2: own delay, Little's law by its variance. 3: more than MaxMissing failed or unsent is suspect.
	if Rules != 3 {
		t.Errorf("the rules have the number %d: say here since when", Rules)
	}
}

// A verdict whose reasons somebody took away is no broken law, and no panic.
func TestBrokenWithoutReasons(t *testing.T) {
	if (&Verdict{Validity: Invalid}).Broken() {
		t.Error("a law is broken, and nothing says which")
	}
}
