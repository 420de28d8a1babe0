package threshold

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Threshold is a goal that was read.
type Threshold struct {
	figure figure.Spec
	op     string // "<", "<=", ">", ">="
	limit  float64
	value  string // the limit as it was written
	strict bool   // the worse end of the figure's interval is held against it
}

// maxText is how long a threshold may be, in bytes: it stands in one line of a report.
const maxText = 500

// Example is one, for messages.
const Example = "p99<50ms"

// Parse reads FIGURE OP VALUE, where OP is <, <=, > or >=, and FIGURE is one that a kind of run has. Spaces may stand
// between the parts. Its errors are about the text alone, and in the words of a person who wrote it.
func Parse(text string, known figure.Known) (Threshold, error) {
	text = strings.TrimSpace(text)
	if err := readable(text); err != nil {
		return Threshold{}, err
	}
	left, rest := cutFigure(text)
	op, value, err := cutOp(left, rest)
	if err != nil {
		return Threshold{}, err
	}
	spec, err := figure.Parse(left, known)
	if err != nil {
		return Threshold{}, err
	}
	t := Threshold{op: op, value: strings.Join(strings.Fields(value), "")}
	if t.value == "" {
		return Threshold{}, fmt.Errorf("the limit after %s is missing: write %s%s%s", op, spec, op, spec.Unit().Example())
	}
	if t.limit, t.figure, err = spec.Limit(t.value); err != nil {
		return Threshold{}, err
	}
	return t, t.possible()
}

// readable refuses what nobody can see in a message.
func readable(text string) error {
	switch {
	case text == "":
		return errors.New("it is empty: write a threshold such as " + Example)
	case len(text) > maxText:
		return fmt.Errorf("it has %d characters; the limit is %d", len(text), maxText)
	case !utf8.ValidString(text):
		return errors.New("it is not valid UTF-8")
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == '\n' || r == '\r' {
			return fmt.Errorf("it contains the unprintable character %U: remove it", r)
		}
	}
	return nil
}

// comparing are the characters that comparisons are made of, also the wrong ones.
const comparing = "<>=!≤≥≠"

// cutFigure parts a text at its comparison, which is none within braces or quotes.
func cutFigure(text string) (left, rest string) {
	braced, quote, escaped := false, rune(0), false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case braced && (r == '"' || r == '\''):
			quote = r
		case r == '{':
			braced = true
		case r == '}':
			braced = false
		case !braced && strings.ContainsRune(comparing, r):
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// cutOp parts the comparison from the value.
func cutOp(left, rest string) (op, value string, err error) {
	if rest == "" {
		if strings.Contains(left, "{") && !strings.Contains(left, "}") {
			return "", "", errors.New("the braces of the labels are not closed: a } is missing")
		}
		return "", "", fmt.Errorf("it has no comparison: write a threshold such as %s", Example)
	}
	value = strings.TrimLeft(rest, comparing)
	op = rest[:len(rest)-len(value)]
	switch op {
	case "<", "<=", ">", ">=":
		if strings.ContainsAny(value, comparing) {
			return "", "", errors.New("it has two comparisons: write two thresholds")
		}
		return op, value, nil
	case "≤", "=<":
		return "", "", fmt.Errorf("%q is not a comparison: write <=", op)
	case "≥", "=>":
		return "", "", fmt.Errorf("%q is not a comparison: write >=", op)
	}
	return "", "", fmt.Errorf("%q is not a comparison: write <, <=, > or >=", op)
}

// possible refuses a goal that every run meets, or none.
func (t *Threshold) possible() error {
	highest := t.figure.Unit() == figure.Share && t.limit == 1
	switch {
	case t.limit == 0 && t.op == "<":
		return fmt.Errorf("%s can never be met, because no value is below 0: write %s<=%s", t.Expr(), t.figure, t.value)
	case t.limit == 0 && t.op == ">=":
		return fmt.Errorf("%s is always met: write %s>%s", t.Expr(), t.figure, t.value)
	case highest && t.op == ">":
		return fmt.Errorf("%s can never be met, because no share is above 100%%: write %s>=%s", t.Expr(), t.figure, t.value)
	case highest && t.op == "<=":
		return fmt.Errorf("%s is always met: write %s<%s", t.Expr(), t.figure, t.value)
	}
	return nil
}

// Expr is the goal in its plain form.
func (t Threshold) Expr() string { return t.figure.String() + t.op + t.value }

// Op is how the figure is held against the limit: "<", "<=", ">" or ">=".
func (t Threshold) Op() string { return t.op }

// Strictly is the goal, held against the worse end of the figure's confidence interval.
func (t Threshold) Strictly() Threshold {
	t.strict = true
	return t
}

// Figure is what is held against the limit.
func (t Threshold) Figure() figure.Spec { return t.figure }

// Limit is what the figure is held against, in its unit.
func (t Threshold) Limit() float64 { return t.limit }

// Holds reports whether a value of the figure meets the goal.
func (t Threshold) Holds(v float64) bool {
	switch t.op {
	case "<":
		return v < t.limit
	case "<=":
		return v <= t.limit
	case ">":
		return v > t.limit
	}
	return v >= t.limit
}

// Judge holds a run against the goal: by its raw figure, the generator's own delay included, since that is what was
// measured.
func (t Threshold) Judge(run *rundoc.Run) rundoc.Threshold {
	v := t.figure.Of(run)
	j := rundoc.Threshold{Expr: t.Expr(), Unit: string(t.figure.Unit()), Limit: t.limit, Why: v.Why}
	if v.Why == "" {
		j.Value, j.Free = &v.Raw, v.Free
		j.Met = t.Holds(v.Raw)
	}
	if t.strict {
		t.judgeStrictly(v, &j)
	}
	return j
}

// judgeStrictly holds the worse end of a value's interval against the limit.
func (t Threshold) judgeStrictly(v figure.Value, j *rundoc.Threshold) {
	j.Strict = true
	if v.Why != "" {
		return
	}
	low := strings.HasPrefix(t.op, "<")
	worse, why := v.Worse(low)
	if why != "" {
		if j.Met {
			j.Met, j.Why = false, why // a value that misses it by itself needs no interval
		}
		return
	}
	j.Checked, j.Met = &worse, t.Holds(worse)
	if free, known := v.Without(); known {
		if worse, why := free.Worse(low); why == "" {
			j.CheckedFree = &worse
		}
	}
}

// Split splits a list of thresholds at its commas, except those inside braces.
func Split(text string) (list []string) {
	braced, quote, from := false, rune(0), 0
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case braced && (r == '"' || r == '\''):
			quote = r
		case r == '{':
			braced = true
		case r == '}':
			braced = false
		case r == ',' && !braced:
			list, from = append(list, text[from:i]), i+1
		}
	}
	return append(list, text[from:])
}
