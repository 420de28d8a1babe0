package figure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Unknown is the error of a name that is no figure of a kind.
type Unknown struct {
	Name string // as it was written, without labels
	Kind string
	Near string // what was probably meant, or ""
}

func (u *Unknown) Error() string {
	of := "a run"
	if u.Kind != "" {
		of = u.Kind
	}
	text := fmt.Sprintf("%q is not a metric of %s", u.Name, of)
	if u.Near != "" {
		return text + ": did you mean " + u.Near + "? 'plimsoll help metrics' lists all"
	}
	return text + ": 'plimsoll help metrics' lists all"
}

// meant are the names that other tools have for figures.
func meant() map[string]string {
	return map[string]string{
		"avg": mean, "average": mean, "median": "p50", "med": "p50", "latency": "p50", "longest": maximum,
		"errors": "failed", "error": "failed", "error_rate": "failed", "failures": "failed", "failure": "failed",
		"http_req_failed": "failed", "checks": "ok", "success": "ok", "http_req_duration": "p95", "iterations": "ok",
		"throughput": "rate", "rps": "rate", "qps": "rate", "http_reqs": "rate",
		"response_time": responseTime + ".p50", "service_time": "service.p50",
	}
}

// Parse reads a figure: NAME or NAME{label=value,…}, where NAME is one of the kind's own or of the common ones, p99
// and the like, or a time with what is asked of it: connect.p99, service.mean. Its errors are about the text alone.
func Parse(text string, known Known) (Spec, error) {
	text = strings.TrimSpace(text)
	name, rest, braced := strings.Cut(text, "{")
	spec, err := known.find(strings.TrimSpace(name))
	if err != nil {
		return Spec{}, err
	}
	if braced {
		if spec.labels, err = parseLabels(rest); err != nil {
			return Spec{}, err
		}
	}
	return spec, known.check(&spec)
}

// find is the figure of a name, without labels.
func (k Known) find(name string) (Spec, error) {
	if name == "" {
		return Spec{}, errors.New("the metric is missing: write one such as p99")
	}
	all := k.sources()
	for _, s := range all {
		if s.Name == name && s.Times == nil {
			return Spec{source: s, unit: s.Unit}, nil
		}
	}
	family, word := splitName(all, name)
	if family == "" {
		family, word = responseTime, name
	}
	st, is, err := statOf(word)
	i := slices.IndexFunc(all, func(s source) bool { return s.Name == family && s.Times != nil })
	switch {
	case i >= 0 && is && err == nil:
		return Spec{source: all[i], stat: st, unit: Time}, nil
	case i >= 0 && is:
		return Spec{}, err
	case i >= 0 && word == "":
		return Spec{}, fmt.Errorf("%s has several statistics: write %[1]s.p99, %[1]s.mean or %[1]s.max", name)
	}
	return Spec{}, &Unknown{Name: name, Kind: k.Kind, Near: k.nearest(name)}
}

// splitName parts a name into that of times and what is asked of them; "" where it names none.
func splitName(all []source, name string) (family, word string) {
	for _, s := range all {
		rest, begins := strings.CutPrefix(name, s.Name)
		if s.Times == nil || !begins || rest != "" && rest[0] != '.' || len(s.Name) < len(family) {
			continue
		}
		family, word = s.Name, strings.TrimPrefix(rest, ".")
	}
	return family, word
}

// sources are all figures of the kind, its own first.
func (k Known) sources() []source {
	var all []source
	for _, s := range k.Own {
		all = append(all, source{Source: s, own: true})
	}
	for _, s := range common() {
		if slices.Contains(k.Lacks, s.Name) || slices.ContainsFunc(k.Own, func(o Source) bool { return o.Name == s.Name }) {
			continue
		}
		if len(s.Labels) > 0 {
			s.Labels = append(s.Labels, k.Labels...)
		}
		all = append(all, s)
	}
	return all
}

// nearest is the name that was probably meant, or "".
func (k Known) nearest(name string) string {
	if other := meant()[strings.ToLower(strings.NewReplacer("-", "_").Replace(name))]; other != "" {
		return other
	}
	if in, closed := strings.CutSuffix(strings.ToLower(name), ")"); closed { // p(95), as k6 has it
		if digits, percentile := strings.CutPrefix(in, "p("); percentile {
			return "p" + digits
		}
	}
	names := Names(k)
	if near := fault.Nearest(name, names); near != "" {
		return near
	}
	// A name with more behind it, such as upload_rate.
	begun := ""
	for _, n := range names {
		rest, begins := strings.CutPrefix(strings.ToLower(name), n)
		if begins && len(n) > len(begun) && strings.ContainsAny(rest[:min(1, len(rest))], "_-. ") {
			begun = n
		}
	}
	return begun
}

// check refuses labels that the figure does not have, and what means nothing without one.
func (k Known) check(s *Spec) error {
	has := s.source.Labels
	for name := range s.labels {
		switch {
		case slices.Contains(has, name):
		case len(has) == 0:
			return fmt.Errorf("%s has no labels: remove {%s=…}", s.Name(), name)
		case s.source.own || k.Labels != nil || k.Kind != "":
			if near := fault.Nearest(name, has); near != "" {
				return fmt.Errorf("%s has no label %q: did you mean %s?", s.Name(), name, near)
			}
			return fmt.Errorf("%s has no label %q; it has: %s", s.Name(), name, strings.Join(has, ", "))
		}
	}
	if k.Mixed && s.source.alike && s.labels[byOperation] == "" {
		return fmt.Errorf("%[1]s needs a label in %[2]s, because its operations differ: write "+
			"%[1]s{operation=NAME}", s.Name(), k.Kind)
	}
	return nil
}

// parseLabels reads label=value,…} behind its opening brace.
func parseLabels(text string) (labels, error) {
	all := labels{}
	for {
		name, rest, found := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case strings.HasPrefix(name, "}") || name == "" && !found:
			return nil, errors.New("the braces contain no label: write {type=TEXT}, or remove them")
		case !found || strings.ContainsAny(name, `{},"'`):
			return nil, fmt.Errorf("the labels are not label=value: write {type=TEXT}, separated by commas")
		case name == "":
			return nil, errors.New("a label has no name: write one such as {type=TEXT}")
		}
		value, rest, err := labelValue(rest)
		if err != nil {
			return nil, fmt.Errorf("the label %s: %w", name, err)
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("the label %s is given twice", name)
		}
		all[name] = value
		switch {
		case rest == "":
			return nil, errors.New("the braces of the labels are not closed: a } is missing")
		case rest[0] == ',':
			text = rest[1:]
		case strings.TrimSpace(rest[1:]) != "":
			return nil, fmt.Errorf("%q follows the labels", strings.TrimSpace(rest[1:]))
		default:
			return all, nil
		}
	}
}

// labelValue is the value at the beginning of a text, in quotes or not, and what follows, from its comma or brace on.
func labelValue(text string) (value, rest string, err error) {
	text = strings.TrimSpace(text)
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value, rest, err = quotedValue(text)
		if err != nil {
			return "", "", err
		}
		rest = strings.TrimSpace(rest)
		if rest != "" && rest[0] != ',' && rest[0] != '}' {
			return "", "", errors.New("a comma or a } must follow its quotes")
		}
		return value, rest, nil
	}
	end := strings.IndexAny(text, ",}")
	if end < 0 {
		end = len(text)
	}
	if value = strings.TrimSpace(text[:end]); value == "" {
		return "", "", errors.New("it has no value")
	}
	return value, text[end:], nil
}

// quotedValue reads a value in quotes: double ones as Go has them, or single ones without escapes.
func quotedValue(text string) (value, rest string, err error) {
	if text[0] == '\'' {
		value, rest, closed := strings.Cut(text[1:], "'")
		if !closed {
			return "", "", errors.New("its quotes are not closed")
		}
		return value, rest, nil
	}
	prefix, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", errors.New("its quotes are not closed")
	}
	value, err = strconv.Unquote(prefix)
	return value, text[len(prefix):], err
}
