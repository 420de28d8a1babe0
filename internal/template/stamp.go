package template

import "time"

// Stamps makes times cheap to write: it keeps the part of the last one that stays the same for a second. The zero
// value is ready. One goroutine uses it.
type Stamps struct {
	second int64
	prefix [len("2006-01-02T15:04:05.")]byte // none of it: nothing is kept
}

// append appends the time as RFC 3339 has it, in UTC, with 3 or 6 digits behind the second.
func (s *Stamps) append(b []byte, t time.Time, digits int) []byte {
	if s == nil {
		var once Stamps
		s = &once
	}
	if second := t.Unix(); second != s.second || s.prefix[0] == 0 {
		t = t.UTC()
		if year := t.Year(); year < 0 || year > 9999 {
			return t.AppendFormat(b, "2006-01-02T15:04:05.000000Z"[:20+digits]+"Z")
		}
		s.second = second
		t.AppendFormat(s.prefix[:0], "2006-01-02T15:04:05.")
	}
	var part [7]byte // of the second, to microseconds
	part[digits] = 'Z'
	rest := t.Nanosecond() / 1000
	if digits == 3 {
		rest /= 1000
	}
	for i := digits - 1; i >= 0; i-- {
		part[i] = byte('0' + rest%10)
		rest /= 10
	}
	return append(append(b, s.prefix[:]...), part[:digits+1]...)
}
