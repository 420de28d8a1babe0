package saved

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Filter says which of the saved runs are meant: those that fit all of it. The zero value is all.
type Filter struct {
	Kind    string   // of traffic, or of set, or both as in "sweep chat"
	Labels  []string // each of them
	Target  string   // a part of it
	Verdict string
	Since   time.Time
	Until   time.Time
}

// Settings declares it. Times ago are counted from now.
func (f *Filter) Settings(now time.Time) []*setting.Setting {
	verdicts := []string{string(rundoc.Valid), string(rundoc.Suspect), string(rundoc.Invalid)}
	ages := []string{"12h", "7d", "30d"}
	return []*setting.Setting{
		setting.Text(&f.Kind, "workload", "kind", "runs of this kind, such as chat, or sweep"),
		LabelSetting(&f.Labels, "label", "runs with this label; repeat it for runs with all of them"),
		setting.Text(&f.Target, "target", "text", "runs whose target contains this text; demo: demos"),
		setting.Text(&f.Verdict, "verdict", "verdict", "runs with this verdict: valid, suspect or invalid").
			Offer(verdicts...).Rule(func(flag string) error {
			if f.Verdict == "" || slices.Contains(verdicts, f.Verdict) {
				return nil
			}
			return fault.New(fault.Usage, "%s is %q: it must be valid, suspect or invalid", flag, f.Verdict)
		}),
		moment(&f.Since, "since", "runs that started then or later: 2026-11-21, '2026-11-21 14:00', or an age "+
			"such as 12h or 30d", now).Offer(ages...),
		moment(&f.Until, "until", "runs that started before then, written as --since", now).
			Offer(ages...).Rule(func(flag string) error {
			if !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until) {
				return fault.New(fault.Usage, "%s must be later than --since", flag)
			}
			return nil
		}),
	}
}

// Set reports whether it is not the zero value: not all are meant.
func (f *Filter) Set() bool {
	return f.Kind != "" || len(f.Labels) > 0 || f.Target != "" || f.Verdict != "" || !f.Since.IsZero() || !f.Until.IsZero()
}

// Fits reports whether an entry is meant. Of one that cannot be read only its id is known: it fits no filter.
func (f *Filter) Fits(e *Entry) bool {
	began := e.Started
	switch {
	case f.Kind != "" && !slices.Contains(e.kinds(), f.Kind),
		!strings.Contains(strings.ToLower(e.Target+"\n"+e.Shown), strings.ToLower(f.Target)),
		f.Verdict != "" && e.Verdict != f.Verdict && !f.limited(e),
		!f.Since.IsZero() && began.Before(f.Since),
		!f.Until.IsZero() && (began.IsZero() || !began.Before(f.Until)):
		return false
	}
	return !slices.ContainsFunc(f.Labels, func(label string) bool { return !slices.Contains(e.Labels, label) })
}

// limited reports whether valid runs are meant, and the entry is one with limited checks.
func (f *Filter) limited(e *Entry) bool {
	return f.Verdict == string(rundoc.Valid) && e.Verdict == string(rundoc.Seen)
}

// kinds are the words that a filter may have for what an entry is.
func (e *Entry) kinds() []string { return []string{e.Workload, e.Kind, e.What()} }

// Check refuses a kind that is none, and names the nearest: neither one that the program knows nor one of a saved run.
func (f *Filter) Check(known []string, entries []Entry) error {
	if f.Kind == "" || slices.Contains(known, f.Kind) {
		return nil
	}
	for i := range entries {
		if slices.Contains(entries[i].kinds(), f.Kind) {
			return nil
		}
	}
	e := fault.New(fault.Usage, "--workload is %q, which is not a kind of run", f.Kind)
	if near := fault.Nearest(f.Kind, known); near != "" {
		return e // the command line asks whether it was meant
	}
	return e.Hint("known kinds: %s", strings.Join(known, ", "))
}

// Pick are the entries that are meant, in their order.
func (f *Filter) Pick(entries []Entry) []Entry {
	var picked []Entry
	for i := range entries {
		if f.Fits(&entries[i]) {
			picked = append(picked, entries[i])
		}
	}
	return picked
}

// moment is a setting that is a time of day or how long ago that is.
func moment(into *time.Time, name, help string, now time.Time) *setting.Setting {
	return setting.Of(into, name, "when", help,
		func(text string) (time.Time, error) { return parseMoment(text, now) },
		func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Format(time.RFC3339)
		})
}

// parseMoment reads a time in the zone of now, or a time before now.
func parseMoment(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, errors.New("the time is missing")
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04",
		"2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}
	ago, err := ParseAge(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not a time: write 2026-11-21, '2026-11-21 14:00', or an age such "+
			"as 12h or 30d", text)
	}
	return now.Add(-ago), nil
}

// ParseAge reads a duration that may be in days (30d) or weeks (6w), and is above 0.
func ParseAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	var age time.Duration
	var err error
	var unit time.Duration
	whole := strings.TrimSpace(text)
	switch {
	case strings.HasSuffix(whole, "d"):
		unit = day
	case strings.HasSuffix(whole, "w"):
		unit = 7 * day
	}
	if unit == 0 {
		age, err = setting.ParseDuration(whole)
	} else {
		var n int64
		n, err = setting.ParseCount[int64](whole[:len(whole)-1])
		if n > int64(100*365*day/unit) {
			return 0, fmt.Errorf("%q is more than 100 years", text)
		}
		age = time.Duration(n) * unit
	}
	if age <= 0 || err != nil {
		return 0, fmt.Errorf("%q is not an age: write it as 12h, 30d or 6w", text)
	}
	return age, nil
}
