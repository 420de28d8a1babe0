package cookies

import (
	"strings"
	"time"
)

// setCookie is what a Set-Cookie header field says.
type setCookie struct {
	name, value  string
	domain, path string
	secure       bool
	expires      time.Time
	maxAge       time.Duration
	hasMaxAge    bool
}

// maxAttribute is the length from which on an attribute is ignored.
const maxAttribute = 1024

// parse parses a Set-Cookie header field (RFC 6265, section 5.2). It is false for one that is ignored.
func parse(line string) (s setCookie, ok bool) {
	pair, attributes, _ := strings.Cut(line, ";")
	name, value, is := strings.Cut(pair, "=")
	s.name, s.value = trim(name), trim(value)
	if !is || s.name == "" || strings.ContainsFunc(pair, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return s, false
	}
	for attribute := range strings.SplitSeq(attributes, ";") {
		name, value, _ := strings.Cut(attribute, "=")
		if name, value = trim(name), trim(value); len(value) > maxAttribute {
			continue
		}
		switch strings.ToLower(name) {
		case "expires":
			if at, ok := parseDate(value); ok {
				s.expires = at
			}
		case "max-age":
			if age, ok := parseAge(value); ok {
				s.maxAge, s.hasMaxAge = age, true
			}
		case "domain":
			s.domain = strings.ToLower(strings.TrimPrefix(value, "."))
		case "path":
			s.path = value
		case "secure":
			s.secure = true
		}
	}
	return s, true
}

func trim(s string) string { return strings.Trim(s, " \t") }

// expiry is when the cookie expires: zero at the end of the session.
func (s *setCookie) expiry(now time.Time) time.Time {
	if s.hasMaxAge {
		return now.Add(s.maxAge)
	}
	return s.expires
}

// maxAge is the longest age that is told apart.
const maxAge = 400 * 24 * time.Hour

// parseAge parses the value of Max-Age, in seconds.
func parseAge(text string) (time.Duration, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if text != digits {
		return 0, true
	}
	var seconds time.Duration
	for _, c := range digits {
		seconds = min(seconds*10+time.Duration(c-'0'), maxAge/time.Second)
	}
	return seconds * time.Second, true
}

// parseDate parses the date of a cookie, of which any part may be missing from where it should be (RFC 6265, section
// 5.1.1).
func parseDate(text string) (time.Time, bool) {
	var hour, minute, second, day, month, year int
	hasTime, hasDay, hasYear := false, false, false
	for token := range strings.FieldsFuncSeq(text, isDelimiter) {
		if !hasTime {
			if hour, minute, second, hasTime = parseClock(token); hasTime {
				continue
			}
		}
		n, digits := leadingDigits(token)
		switch {
		case !hasDay && digits >= 1 && digits <= 2:
			day, hasDay = n, true
		case month == 0 && monthOf(token) > 0:
			month = monthOf(token)
		case !hasYear && digits >= 2 && digits <= 4:
			year, hasYear = n, true
		}
	}
	switch {
	case year >= 70 && year <= 99:
		year += 1900
	case year >= 0 && year <= 69:
		year += 2000
	}
	if !hasTime || !hasDay || month == 0 || !hasYear || year < 1601 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return at, day > 0 && at.Day() == day
}

func isDelimiter(r rune) bool {
	return r == '\t' || r >= ' ' && r <= '/' || r >= ';' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
}

// parseClock parses hours, minutes and seconds of one or two digits each, and ignores what follows them.
func parseClock(token string) (hour, minute, second int, ok bool) {
	h, rest, _ := strings.Cut(token, ":")
	m, s, _ := strings.Cut(rest, ":")
	hour, nh := leadingDigits(h)
	minute, nm := leadingDigits(m)
	second, ns := leadingDigits(s)
	ok = nh == len(h) && nm == len(m) && nh >= 1 && nh <= 2 && nm >= 1 && nm <= 2 && ns >= 1 && ns <= 2
	return hour, minute, second, ok
}

// leadingDigits returns the number that a text begins with, and how many digits it has. Of more than four digits the
// number is not meaningful.
func leadingDigits(text string) (n, digits int) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	return n, digits
}

// monthOf returns the month whose English name a text begins with, from 1, or 0.
func monthOf(text string) int {
	if len(text) < 3 {
		return 0
	}
	at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(text[:3]))
	if at < 0 || at%3 != 0 {
		return 0
	}
	return at/3 + 1
}
