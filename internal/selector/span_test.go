package selector

import "testing"

// A class of statuses is 1xx to 9xx, in any case.
func TestClassOfStatuses(t *testing.T) {
	for text, want := range map[string]int{"1xx": 100, "9XX": 900, "2Xx": 200, "0xx": 0, "10xx": 0, "xx": 0, "-1xx": 0, "axx": 0} {
		got, ok := parseSpan(text)
		if ok != (want > 0) || ok && got != (span{want, want + 99}) {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
}
