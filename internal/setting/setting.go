package setting

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Setting is one thing that can be set. It is made by one of the functions that are named after what
// they set (Count, Duration, Text …) and completed by its methods, which give it back.
type Setting struct {
	Name      string   // of the flag; "" for what nobody sets, and still stands in the plan document
	Shorthand string   // one letter, or ""
	Heading   string   // of its group
	Kind      string   // what stands for the value in the help, such as "duration"
	Help      string   // one line
	Path      string   // in the plan document, its parts divided by points; "" when it is not in there
	Unit      Unit     // of the number in the plan document
	Words     []string // that a shell offers
	Unended   bool     // more has to follow one of the words
	RunName   bool     // the value names a saved run
	Endings   []string // that a file of this setting may have, such as "csv"; none: any file
	Often     int      // of the settings that most people need, which it is, from 1 on; 0: none of them
	OfTheRun  bool     // of an embedded server: the run itself sets it, to be able to reach the server
	Secret    bool     // the value may hold a secret: the plan document has something else in its place
	Closed    bool     // Words are all that there are
	Several   bool     // it may be given several times, and each adds a value
	Results   bool     // it says what is made of the results, and changes nothing of them
	Written   bool     // the value names a file or a directory that is written

	Former []string // earlier names of the flag, which still work; using one prints a note
	Also   []string // other names of the flag, which work as well
	// Concurrency: it says how much goes on at once, such as clients.
	Concurrency bool
	// Size: it says how much there is to do, such as receivers of each message. Of sizes that go as well as each other
	// the largest is the one to know.
	Size bool
	// Load: it says how much is asked of the target: a rate, how much goes on at once, or how much there is to do.
	Load bool

	parse   func(string) error
	show    func(text string) string // what may be shown of a value, where a rule of its own decides
	format  func() string
	encode  func() any
	number  func() int64 // of a Count
	absent  func() bool  // whether the plan document leaves it out
	rules   []func(flag string) error
	onOrOff bool
	texts   []string // that were read, in their order

	instead func(text string) *Setting
	notify  func(note string)
	notes   []string // given to notify
}

// Unit is what a number in the plan document counts.
type Unit string

// The units. A setting's place in the plan document ends with its unit: reports go by that, also in
// documents of earlier runs.
const (
	Plain Unit = ""
	Time  Unit = "_ns"
	Bytes Unit = "_bytes"
)

// Of is a setting with a parser and a form of its own.
func Of[T any](into *T, name, kind, help string, parse func(string) (T, error), format func(T) string) *Setting {
	s := Field(into)
	s.Name, s.Kind, s.Help = name, kind, help
	s.parse = func(text string) error {
		v, err := parse(text)
		if err == nil {
			*into = v
		}
		return err
	}
	s.format = func() string { return format(*into) }
	return s
}

// Field is what nobody sets by a flag, and what stands in the plan document all the same.
func Field[T any](from *T) *Setting {
	return &Setting{
		encode: func() any { return *from },
		format: func() string { return "" },
		absent: func() bool { return false },
	}
}

// At says where the setting stands in the plan document: "load.clients".
func (s *Setting) At(path string) *Setting {
	s.Path = path
	return s
}

// OmitZero leaves the setting out of the plan document where it is zero or empty.
func (s *Setting) OmitZero() *Setting {
	s.absent = func() bool {
		text, err := json.Marshal(s.encode())
		if err != nil {
			return false // whoever writes it says why it cannot be written
		}
		for _, zero := range []string{"0", `""`, "false", "null", "[]", "{}"} {
			if bytes.Equal(text, []byte(zero)) {
				return true
			}
		}
		return false
	}
	return s
}

// OmitIf leaves the setting out of the plan document where absent says so.
func (s *Setting) OmitIf(absent func() bool) *Setting {
	s.absent = absent
	return s
}

// WrittenAs declares that a value may hold a secret, and what the plan document has instead of it.
func (s *Setting) WrittenAs(encode func() any) *Setting {
	s.encode, s.Secret = encode, true
	return s
}

// ShownBy declares that a value may hold secrets, such as a command, and that documents and messages have what show
// leaves of it.
func (s *Setting) ShownBy(show func(text string) string) *Setting {
	s.show, s.Secret = show, true
	encode := s.encode
	s.encode = func() any {
		if text, is := encode().(string); is {
			return show(text)
		}
		return encode()
	}
	return s
}

// Flag makes a flag of what was declared without one.
func (s *Setting) Flag(name, help string) *Setting {
	s.Name, s.Help = name, help
	return s
}

// Short gives the flag a letter.
func (s *Setting) Short(letter string) *Setting {
	s.Shorthand = letter
	return s
}

// Offer has a shell offer these values.
func (s *Setting) Offer(words ...string) *Setting {
	s.Words = words
	return s
}

// Formerly declares earlier names of the flag. They still work, are not listed, and print a note when used.
func (s *Setting) Formerly(names ...string) *Setting {
	s.Former = append(s.Former, names...)
	return s
}

// AlsoCalled declares other names of the flag. They work, and are not listed.
func (s *Setting) AlsoCalled(names ...string) *Setting {
	s.Also = append(s.Also, names...)
	return s
}

// GivesWay declares that some values belong to another setting, which had this name earlier. to returns that setting,
// or nil for a value of this one.
func (s *Setting) GivesWay(to func(text string) *Setting) *Setting {
	s.instead = to
	return s
}

// DurationOf returns a function for GivesWay: a value that is a duration, and no share, belongs to the setting of set
// called flag.
func DurationOf(set *Set, flag string) func(text string) *Setting {
	return func(text string) *Setting {
		if _, err := ParseShare(text); err == nil {
			return nil
		}
		if _, err := ParseDuration(text); err != nil {
			return nil
		}
		return set.Lookup(flag)
	}
}

// For returns the setting that a value belongs to: s itself, unless GivesWay says otherwise.
func (s *Setting) For(text string) *Setting {
	if s.instead != nil {
		if other := s.instead(text); other != nil {
			return other
		}
	}
	return s
}

// Called reports whether name is a name of the flag, now or earlier.
func (s *Setting) Called(name string) bool {
	return name != "" && (s.Name == name || slices.Contains(s.Former, name) || slices.Contains(s.Also, name))
}

// NotifyBy has notes about names that have changed given to notify.
func (s *Setting) NotifyBy(notify func(note string)) { s.notify = notify }

// SetAs is Set by another name of the flag. Only the current name has values that belong to another setting.
func (s *Setting) SetAs(name, text string) error {
	if slices.Contains(s.Former, name) {
		s.note("--" + name + " is now --" + s.Name + "; the old name still works")
	}
	return s.read(text)
}

// note reports a name that has changed, once.
func (s *Setting) note(text string) {
	if s.notify != nil && !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
		s.notify(text)
	}
}

// NamesRun says that the value is the name of a saved run, which a shell can offer.
func (s *Setting) NamesRun() *Setting {
	s.RunName = true
	return s
}

// Ending says how the name of the file ends, for a shell to offer.
func (s *Setting) Ending(endings ...string) *Setting {
	s.Endings = endings
	return s
}

// SetByRun says of a setting of an embedded server that the run sets it itself.
func (s *Setting) SetByRun() *Setting {
	s.OfTheRun = true
	return s
}

// OfResults says that the setting changes nothing of what is measured: it says what is made of that.
func (s *Setting) OfResults() *Setting {
	s.Results = true
	return s
}

// SaysConcurrency says that the number is how much goes on at once: what scaling is about.
func (s *Setting) SaysConcurrency() *Setting {
	s.Concurrency, s.Load = true, true
	return s
}

// SaysLoad says that the number is how much is asked of the target: what a load line is about.
func (s *Setting) SaysLoad() *Setting {
	s.Load = true
	return s
}

// SaysSize says that the number is how much there is to do, and no matter of choice: of sizes that go as well as each
// other the largest is the one to know.
func (s *Setting) SaysSize() *Setting {
	s.Size, s.Load = true, true
	return s
}

// Rule adds a check. It gets the name of the flag with its dashes, to name it in its error.
func (s *Setting) Rule(rule func(flag string) error) *Setting {
	s.rules = append(s.rules, rule)
	return s
}

// Between is the rule that a Count lies between low and high, both included.
func (s *Setting) Between(low, high int64) *Setting {
	return s.Rule(func(flag string) error {
		if n := s.number(); n < low || n > high {
			return fault.New(fault.Usage, "%s is %d: it must be from %d to %d", flag, n, low, high)
		}
		return nil
	})
}

// OneOf is the rule that a text is one of these words, which a shell offers. What the plan document
// leaves out was not given, and is not checked.
func (s *Setting) OneOf(words ...string) *Setting {
	s.Closed = true
	return s.Offer(words...).Rule(func(flag string) error {
		if text := s.String(); !slices.Contains(words, text) && !s.absent() {
			if len(words) == 1 {
				return fault.New(fault.Usage, "%s is %q: it must be %q", flag, text, words[0])
			}
			return fault.New(fault.Usage, "%s is %q: it must be one of %s", flag, text, strings.Join(words, ", "))
		}
		return nil
	})
}

// check is the first rule that is broken.
func (s *Setting) check() error {
	for _, rule := range s.rules {
		if err := rule("--" + s.Name); err != nil {
			return err
		}
	}
	return nil
}

// Switch reports whether the flag is on or off, and may stand without a value.
func (s *Setting) Switch() bool { return s.onOrOff }

// Figure reports whether the value is a number, a time or a size: it has a unit and a default, and is no secret.
func (s *Setting) Figure() bool {
	return s.number != nil || slices.Contains([]string{"duration", "rate", "share", "size"}, s.Kind)
}

// Whole reports whether the value is a whole number.
func (s *Setting) Whole() bool { return s.number != nil }

// Set reads the value of the flag. A value that belongs to another setting is given to that one.
func (s *Setting) Set(text string) error {
	if other := s.For(text); other != s {
		s.note("--" + s.Name + " " + text + " is now --" + other.Name + " " + text + "; the old name still works")
		return other.Set(text)
	}
	return s.read(text)
}

func (s *Setting) read(text string) error {
	if err := s.parse(text); err != nil {
		return err
	}
	s.texts = append(s.texts, text)
	return nil
}

// Texts are the values that Set has read, as they were written, in their order.
func (s *Setting) Texts() []string { return s.texts }

// String is the value as the help shows it: "" for what stands for "none" or "decided later".
func (s *Setting) String() string {
	if s == nil || s.format == nil {
		return ""
	}
	return s.format()
}

// Type is what stands for the value in the help.
func (s *Setting) Type() string { return s.Kind }
