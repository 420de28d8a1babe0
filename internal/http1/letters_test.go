package http1

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Each letter that a name may have, and no other (RFC 9110, 5.6.2).
func TestToken(t *testing.T) {
	const all = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for c := range 256 {
		if want := strings.Contains(all, string([]byte{byte(c)})); token(byte(c)) != want {
			t.Errorf("%q: %v, want %v", rune(c), !want, want)
		}
	}
}

// Each digit of a chunk's length, and no other letter; a length has 16 digits at most and is below 2^59.
func TestHexadecimal(t *testing.T) {
	for c := range 256 {
		text := fmt.Sprintf("1%c0", byte(c))
		if c > 127 {
			text = "1" + string([]byte{byte(c)}) + "0"
		}
		want, bad := strconv.ParseUint(text, 16, 64)
		if got, err := hexadecimal([]byte(text)); (err == nil) != (bad == nil) || bad == nil && uint64(got) != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]int64{
		"0": 0, "07ffffffffffffff": 1<<59 - 1, "7FFFFFFFFFFFFFF": 1<<59 - 1, "0000000000000001": 1,
		"800000000000000": -1, "00000000000000001": -1, "": -1, "ffffffffffffffff": -1, "10000000000000000000": -1,
	} {
		if got, err := hexadecimal([]byte(text)); (err != nil) != (want < 0) || want >= 0 && got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
