package parquet

import "testing"

// Numbers that are all the same are a run of them, one number, too.
func TestRuns(t *testing.T) {
	for want, numbers := range map[string][]uint32{"\x02\x01": {1}, "\x04\x00": {0, 0}, "\x01": {}, "\x03\x02": {0, 1}} {
		if got := hybrid(nil, numbers, 1); string(got) != want {
			t.Errorf("%v: %x, want %x", numbers, got, want)
		}
	}
}
