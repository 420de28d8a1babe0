package template

import "time"

// Stamps makes times cheap to write: it keeps the part of the last one that stays the same for a second. The zero
// value is ready. One goroutine uses it.
type Stamps struct {
	second int64
	prefix [len("2006-01-02T15:04:05.")]byte // none of it: nothing is kept
}

// append appends the time as RFC 3339 has it, in UTC, with that many digits behind the second.
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
	b = append(b, s.prefix[:]...)
	part := t.Nanosecond() / 1000
	for div := 100000; digits > 0; digits-- {
		b = append(b, byte('0'+part/div%10))
		div /= 10
	}
	return append(b, 'Z')
}
