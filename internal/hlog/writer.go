package hlog

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Writer writes a log. After an error it does nothing but return it.
type Writer struct {
	out  io.Writer
	base time.Time
	err  error
}

// NewWriter begins a log of what began then. Histograms are of ns; the tools show ms, unless they are told otherwise.
func NewWriter(out io.Writer, base time.Time) *Writer {
	w := &Writer{out: out, base: base.UTC()}
	w.Comment("Logged with plimsoll")
	w.Comment("Histogram log format version 1.3")
	seconds := float64(base.UnixMilli()) / 1e3
	w.Comment(fmt.Sprintf("StartTime: %.3f (seconds since epoch), %s", seconds, w.base.Format(time.UnixDate)))
	w.Comment(fmt.Sprintf("BaseTime: %.3f (seconds since epoch)", seconds))
	return w
}

// Comment writes a line that no tool takes for an interval; those of before the legend may tell a tool something.
func (w *Writer) Comment(text string) { w.write("#[%s]\n", oneLine(text)) }

// Legend writes the line that names the columns, below the comments.
func (w *Writer) Legend() {
	w.write("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
}

// Interval writes an interval: when it began after the log did, how long it took, the highest value in ns, and the
// histogram as text. The intervals of one tag are a log of their own; "" is no tag.
func (w *Writer) Interval(tag string, from, length time.Duration, highest int64, encoded string) {
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	w.write("%s%.3f,%.3f,%.3f,%s\n", tag, from.Seconds(), length.Seconds(), float64(highest)/1e6, encoded)
}

// Histogram is Interval of a histogram.
func (w *Writer) Histogram(tag string, from, length time.Duration, h *hdrhistogram.Histogram) {
	encoded, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase) // it fails of other versions alone
	w.Interval(tag, from, length, h.Max(), string(encoded))
}

// Err is the first error.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}

// Tags makes tags of names, another one of each.
type Tags struct{ of map[string]string }

// Of is the tag of a name: without commas, spaces and ends of lines, which the format does not have.
func (t *Tags) Of(name string) string {
	if t.of == nil {
		t.of = map[string]string{}
	}
	if tag, known := t.of[name]; known {
		return tag
	}
	plain := strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
	if plain == "" {
		plain = "_"
	}
	tag := plain
	for n := 2; t.taken(tag); n++ {
		tag = fmt.Sprintf("%s_%d", plain, n)
	}
	t.of[name] = tag
	return tag
}

func (t *Tags) taken(tag string) bool {
	for _, other := range t.of {
		if other == tag {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
