package hadoop

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSize(t *testing.T) {
	for given, want := range map[string]int64{
		"0": 0, "8388608": 8 << 20, "32M": 32 << 20, "32m": 32 << 20, "1G": 1 << 30, "64K": 64 << 10, "2t": 2 << 40,
		"1p": 1 << 50, "7E": 7 << 60, "-1": -1, " 5 ": 5, "5 m": 5 << 20, "9223372036854775807": math.MaxInt64,
	} {
		var s Settings
		s.Set("k", given, "f.xml")
		if got, ok, err := s.Size("none", "k"); got != want || !ok || err != nil {
			t.Errorf("%q: %d, %v", given, got, err)
		}
	}
	for _, given := range []string{"M", "1.5G", "32MB", "8E", "9223372036854775808", "x", "1 2", "0x10"} {
		var s Settings
		s.Set("k", given, "f.xml")
		_, ok, err := s.Size("k")
		want := fmt.Sprintf("f.xml: k is %q, which is not a size in bytes, such as 8388608, 32M or 1G", given)
		if text(err) != want || ok {
			t.Errorf("%v", err)
		}
	}
	var s Settings
	if _, ok, err := s.Size("k"); ok || err != nil {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for given, want := range map[string]time.Duration{
		"5s": 5 * time.Second, "200ms": 200 * time.Millisecond, "1m": time.Minute, "15": 15 * time.Millisecond,
		"2H": 2 * time.Hour,
		"1d": 24 * time.Hour, "7us": 7 * time.Microsecond, "7ns": 7, "-1": -time.Millisecond, "5 s": 5 * time.Second,
	} {
		var s Settings
		s.Set("k", given, "f.xml")
		if got, ok, err := s.Duration(time.Millisecond, "k"); got != want || !ok || err != nil {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
	for _, given := range []string{"s", "1.5s", "5w", "300000000000s", "5s5"} {
		var s Settings
		s.Set("k", given, "f.xml")
		if _, ok, err := s.Duration(time.Second, "k"); ok || err == nil {
			t.Errorf("%q is accepted", given)
		}
	}
}

func TestBoolIntList(t *testing.T) {
	var s Settings
	s.Set("yes", "TRUE", "f.xml")
	s.Set("no", "false", "f.xml")
	s.Set("other", "yes", "f.xml")
	s.Set("hex", "-0xFF", "f.xml")
	s.Set("int", "3", "f.xml")
	s.Set("list", " a, b,,c ", "f.xml")
	if v, ok, err := s.Bool("yes"); !v || !ok || err != nil {
		t.Error(v, ok, err)
	}
	if v, ok, err := s.Bool("no"); v || !ok || err != nil {
		t.Error(v, ok, err)
	}
	if _, ok, err := s.Bool("other"); ok || text(err) != `f.xml: other is "yes", which is not true or false` {
		t.Error(err)
	}
	if v, ok, err := s.Int("hex"); v != -255 || !ok || err != nil {
		t.Error(v, ok, err)
	}
	if v, ok, err := s.Int("int"); v != 3 || !ok || err != nil {
		t.Error(v, ok, err)
	}
	if _, ok, err := s.Int("list"); ok || err == nil {
		t.Error("a list is an integer")
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, s.List("list")); diff != "" {
		t.Error(diff)
	}
}
