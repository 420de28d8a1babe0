package junit

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes the report as XML, by what Jenkins' schema of JUnit files (junit-10.xsd) and the readers of GitHub and
// GitLab have in common. What XML cannot have in a text, such as control characters, is written as U+FFFD.
func Write(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	n := r.counts()
	fmt.Fprintf(b, "%s<testsuites name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\"%s>\n", xml.Header,
		text(r.Name), n.all, n.failed, n.errored, took(r.length()))
	for i := range r.Suites {
		writeSuite(b, &r.Suites[i])
	}
	b.WriteString("</testsuites>\n")
	return b.Flush() // the first error of all the writes
}

func (r *Report) length() (all time.Duration) {
	for i := range r.Suites {
		all += r.Suites[i].Length
	}
	return all
}

func writeSuite(b *bufio.Writer, s *Suite) {
	n := s.counts()
	fmt.Fprintf(b, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"%s",
		text(s.Name), n.all, n.failed, n.errored, n.skipped, took(s.Length))
	if !s.Started.IsZero() {
		// The schema has no zone: it is UTC.
		fmt.Fprintf(b, " timestamp=\"%s\"", s.Started.UTC().Format("2006-01-02T15:04:05"))
	}
	b.WriteString(">\n")
	if len(s.Properties) > 0 {
		b.WriteString("    <properties>\n")
		for _, p := range s.Properties {
			fmt.Fprintf(b, "      <property name=\"%s\" value=\"%s\"/>\n", text(p.Name), text(p.Value))
		}
		b.WriteString("    </properties>\n")
	}
	for i := range s.Cases {
		writeCase(b, s, &s.Cases[i])
	}
	b.WriteString("  </testsuite>\n")
}

// writeCase writes a case. All of a run took as long as the run: so that sums are right, that is the suite's time.
func writeCase(b *bufio.Writer, s *Suite, c *Case) {
	fmt.Fprintf(b, "    <testcase classname=\"%s\" name=\"%s\" time=\"0\"", text(className(s.Name)), text(c.Name))
	lines := text(strings.Join(c.Lines, "\n"))
	switch {
	case c.Result == Passed && lines == "":
		b.WriteString("/>\n")
		return
	case c.Result == Passed:
		fmt.Fprintf(b, ">\n      <system-out>%s</system-out>\n", lines)
	case c.Result == Skipped:
		fmt.Fprintf(b, ">\n      <skipped message=\"%s\"/>\n", text(c.Message))
	default:
		element, what := "failure", "missed"
		if c.Result == Errored {
			element, what = "error", "error"
		}
		fmt.Fprintf(b, ">\n      <%s type=\"%s\" message=\"%s\">%s</%s>\n", element, what, text(c.Message), lines, element)
	}
	b.WriteString("    </testcase>\n")
}

// className is by what a page groups cases and tells those of one name apart: "plimsoll" is the package there, and what
// follows the class, in which a dot would begin another one.
func className(suite string) string { return "plimsoll." + strings.ReplaceAll(suite, ".", "·") }

// text is a text as it stands in XML, between tags or in an attribute.
func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}

// took is the attribute of a length; "" where that is not known, as of the members of a set.
func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(" time=\"%.3f\"", d.Seconds())
}
