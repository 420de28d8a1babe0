package selector

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// relation is how a part must stand to a value.
type relation uint8

const (
	there relation = iota // it is there, whatever it is
	equal
	unequal
	contains
	below
	atMost
	above
	atLeast
	oneOf // the statuses
)

var relations = map[string]relation{
	"=": equal, "==": equal, "!=": unequal, "~": contains, "<": below, "<=": atMost, ">": above, ">=": atLeast,
}

// Check is what must hold of an answer.
type Check struct {
	text     string
	not      bool
	of       *Selector
	relation relation
	value    string
	number   number // of the value, where isNumber
	isNumber bool
	size     int64 // of the value, where sizes are compared
	want     gjson.Result
	statuses []span
	sum      [32]byte
}

// span are the statuses from one to another.
type span struct{ from, to int }

// checks are the words that a check may begin with.
var checks = [...]string{"status", "header", "cookie", "json", "regexp", "text", "size", "sha256", "not"}

// String is the check as it was written.
func (c *Check) String() string { return c.text }

// ParseCheck reads a check:
//
//	status 200                  one of several: 200,201  2xx  200-299
//	header NAME                 it is there; also header NAME = VALUE, != VALUE, ~ PART
//	cookie NAME                 likewise
//	json PATH                   likewise, and < <= > >= for numbers
//	text PART                   the body has it
//	regexp PATTERN              the body has a match
//	size = 10KiB                also != < <= > >=
//	sha256 HEX                  of the body
//
// With "not" before it the opposite must hold. Of a body that is no JSON nothing holds that is said of JSON: an error
// page has no member "error" either.
func ParseCheck(text string) (*Check, error) {
	c := &Check{text: strings.TrimSpace(text)}
	word, rest := cutWord(c.text)
	if c.not = word == "not"; c.not {
		word, rest = cutWord(rest)
	}
	var err error
	switch word {
	case "":
		return nil, fault.New(fault.Usage, "the check is empty").Hint("use a check such as 'status 200' or 'json ok = true'")
	case "status":
		err = c.parseStatuses(rest)
	case "text":
		err = c.parseText(rest)
	case "sha256":
		err = c.parseSum(rest)
	case "header", "cookie", "json", "size", "regexp":
		err = c.parseRelation(word + " " + rest)
	default:
		err = unknownWord(c.text, word, checkMeant(word, rest), checks[:])
	}
	if err == nil && c.of.part != pattern {
		err = noPlaces(c.text)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// checkMeant is the check that somebody meant who wrote it as in other tools; "" where that is not known.
func checkMeant(word, rest string) string {
	if _, is := parseSpan(word); is && rest == "" {
		return "status " + word
	}
	if dotted(word) != word {
		return "json " + dotted(word)
	}
	switch word {
	case "code", "status_code", "status-code":
		return "status 200"
	case "body", "contains", "includes":
		return "text PART"
	case "matches", "regex":
		return "regexp PATTERN"
	case "jsonpath":
		return "json PATH"
	}
	return ""
}

// wrong says why, and points to what the first of args is of the check, or behind it.
func (c *Check) wrong(why string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, "%q: "+why, append([]any{c.text}, args...)...)
	if len(args) == 0 {
		return e.Point(c.text+" ", len(c.text)+1, len(c.text)+1)
	}
	part, _ := args[0].(string)
	return pointing(e, c.text, part)
}

func (c *Check) parseStatuses(list string) error {
	c.of, c.relation = &Selector{text: "status", part: status}, oneOf
	list, _ = strings.CutPrefix(list, "= ")
	for one := range strings.SplitSeq(list, ",") {
		s, ok := parseSpan(strings.TrimSpace(one))
		if !ok {
			return c.wrong("%q is not a status code", one).
				Hint("use a check such as 'status 200', 'status 200,204', 'status 2xx' or 'status 200-299'")
		}
		c.statuses = append(c.statuses, s)
	}
	return nil
}

func parseSpan(s string) (span, bool) {
	if class, is := strings.CutSuffix(strings.ToLower(s), "xx"); is {
		n, err := strconv.Atoi(class)
		return span{n * 100, n*100 + 99}, err == nil && n >= 1 && n <= 9
	}
	low, high, two := strings.Cut(s, "-")
	if !two {
		high = low
	}
	from, _ := strconv.Atoi(low) // what is no number is 0, or beyond all statuses
	to, _ := strconv.Atoi(high)
	return span{from, to}, 100 <= from && from <= to && to <= 999
}

func (c *Check) parseText(part string) error {
	if part == "" {
		return c.wrong("the text is missing").Hint("use a check such as 'text Welcome'")
	}
	c.of, c.relation, c.value = &Selector{text: "body", part: body}, contains, part
	return nil
}

func (c *Check) parseSum(digits string) error {
	sumOf, err := hex.DecodeString(digits)
	if err != nil || len(sumOf) != len(c.sum) {
		return c.wrong("%q is not a SHA-256 digest", digits).Hint("use its 64 hexadecimal digits, as sha256sum prints them")
	}
	c.of, c.relation = &Selector{text: "sha256", part: sum}, equal
	copy(c.sum[:], sumOf)
	return nil
}

func (c *Check) parseRelation(text string) error {
	of, rest, err := parse(text)
	if err != nil {
		return err
	}
	c.of = of
	if rest == "" {
		if of.part == size {
			return c.wrong("the size is missing").Hint("use a check such as 'size < 10KiB'")
		}
		return nil
	}
	sign, value := cutWord(rest)
	relation, known := relations[sign]
	switch {
	case !known:
		return c.wrong("%q is not an operator", sign).Hint("use one of = != ~ < <= > >= with spaces around it")
	case value == "":
		return c.wrong("no value after %s", sign).Hint("add the value to compare with")
	}
	c.relation, c.value = relation, value
	return c.parseValue()
}

// parseValue reads what a part is compared with.
func (c *Check) parseValue() (err error) {
	if c.of.part == size {
		if c.size, err = setting.ParseSize(c.value); err != nil || c.relation == contains {
			return c.wrong("%q is not a valid size", c.value).Hint("use a check such as 'size < 10KiB'")
		}
		return nil
	}
	c.number, c.isNumber = readNumber(c.value)
	if !c.isNumber && c.relation >= below && c.relation <= atLeast {
		return c.wrong("%q is not a number", c.value).Hint("use < <= > >= with numbers only")
	}
	c.want = gjson.Result{Type: gjson.String, Str: c.value}
	if json.Valid([]byte(c.value)) {
		c.want = gjson.Parse(c.value)
	}
	return nil
}

// Needs is what of an answer the check looks at.
func (c *Check) Needs() Needs {
	n := c.of.Needs()
	n.Sum = c.of.part == sum
	return n
}

// Warning says what the check costs where that is much; "" where it is not.
func (c *Check) Warning() string { return c.of.Warning() }

// Holds reports whether the check holds of an answer.
func (c *Check) Holds(a *Answer) bool {
	if c.of.part == inJSON && !a.isJSON() {
		return false
	}
	return c.holds(a) != c.not
}

func (c *Check) holds(a *Answer) bool {
	switch c.of.part {
	case status:
		return slices.ContainsFunc(c.statuses, func(s span) bool { return s.from <= a.Status && a.Status <= s.to })
	case size:
		return c.compares(cmp.Compare(a.Size, c.size))
	case sum:
		return a.Sum == c.sum
	case body:
		return bytes.Contains(a.Body, []byte(c.value))
	case pattern:
		return c.of.re.Match(a.Body)
	case inJSON:
		v := c.of.inJSON(a)
		return v.Exists() && c.holdsJSON(v)
	}
	return c.holdsText(a)
}

func (c *Check) compares(order int) bool {
	switch c.relation {
	case equal:
		return order == 0
	case unequal:
		return order != 0
	case below:
		return order < 0
	case atMost:
		return order <= 0
	case above:
		return order > 0
	}
	return order >= 0
}

func (c *Check) holdsJSON(v gjson.Result) bool {
	switch c.relation {
	case there:
		return true
	case contains:
		return bytes.Contains(valueOf(v), []byte(c.value))
	case equal, unequal:
		return c.same(v) == (c.relation == equal)
	}
	n, is := readNumber(v.Raw)
	return is && c.compares(n.compare(c.number))
}

// same compares values of JSON: numbers by what they are, objects and lists by their members, and a string also with a
// word that is written without quotes.
func (c *Check) same(v gjson.Result) bool {
	switch {
	case v.Type == gjson.String:
		return v.Str == c.value || c.want.Type == gjson.String && v.Str == c.want.Str
	case v.Type == gjson.Number && c.isNumber:
		n, is := readNumber(v.Raw)
		return is && n.compare(c.number) == 0
	}
	return equalJSON(v.Raw, c.want.Raw)
}

// equalJSON compares two values whatever their space and the order of their members.
func equalJSON(a, b string) bool {
	plain := func(s string) string {
		var v any
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if d.Decode(&v) != nil {
			return s
		}
		out, _ := json.Marshal(v) // sorts the members; cannot fail for what was decoded
		return string(out)
	}
	return plain(a) == plain(b)
}

// holdsText compares the header or the cookie. Of several values of a header one will do, and to be unequal all of them
// must be.
func (c *Check) holdsText(a *Answer) bool {
	if c.of.part == cookie {
		v, found := c.of.Find(a)
		return found && c.textHolds(v)
	}
	holds, all := false, c.relation == unequal
	for n := 0; a.Fields != nil; n++ {
		v, more := a.Fields.Value(c.of.name, n)
		if !more {
			break
		}
		if holds = c.textHolds(v); holds != all {
			break
		}
	}
	return holds
}

func (c *Check) textHolds(v []byte) bool {
	switch c.relation {
	case there:
		return true
	case equal:
		return string(v) == c.value
	case unequal:
		return string(v) != c.value
	case contains:
		return bytes.Contains(v, []byte(c.value))
	}
	n, is := readNumber(string(v))
	return is && c.compares(n.compare(c.number))
}

// mostFound bounds what Found shows.
const mostFound = 80

// Found says in a few words what the check found instead: for the message of one that does not hold.
func (c *Check) Found(a *Answer) string {
	switch part := c.of.part; {
	case part == sum:
		return "the body has the digest " + hex.EncodeToString(a.Sum[:])
	case part == inJSON && !a.isJSON():
		if a.cut() {
			return "the body exceeds the part that is kept"
		}
		return "the body is not JSON: " + short(a.Body)
	case part == body || part == pattern:
		return "the body is " + short(a.Body)
	}
	v, found := c.of.Find(a)
	if !found {
		return "it is missing"
	}
	return short(v)
}

// short makes a text fit for a message: printable, and not long.
func short(v []byte) string {
	cut := len(v) > mostFound
	if cut {
		v = v[:mostFound]
		for n := 1; n < utf8.UTFMax; n++ { // not within a character
			if utf8.RuneStart(v[len(v)-n]) {
				if !utf8.FullRune(v[len(v)-n:]) {
					v = v[:len(v)-n]
				}
				break
			}
		}
	}
	s := strconv.Quote(string(v))
	if cut {
		return s + "…"
	}
	return s
}
