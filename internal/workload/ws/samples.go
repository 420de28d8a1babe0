package ws

import (
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
)

// SamplesOf are the samples of a run whose messages are called so, in the column of that name. Only rows of which some
// may be of the warm-up name their phase, so that those of the window alone are what other programs know.
func SamplesOf(o *plan.Output, column string, names []string) run.Samples {
	header := "timestamp," + column + ",latencyMs,statusCode,roomId"
	s := run.Samples{Path: o.Samples, Header: header + "\n", Format: sampleFormat(names), All: o.Warmup}
	if row := s.Format; s.All {
		s.Header = header + ",phase\n"
		s.Format = func(b []byte, m *record.Sample) []byte {
			b = row(b, m)
			b = append(b[:len(b)-1], ',')
			b = append(b, m.Phase...)
			return append(b, '\n')
		}
	}
	return s
}

// sampleFormat writes a row: the actual start in UTC, what the message is called, the response time in
// ms, "ok" or why not, and the room.
func sampleFormat(names []string) func([]byte, *record.Sample) []byte {
	quotedNames := make([]string, len(names))
	for i, name := range names {
		quotedNames[i] = quoted(name)
	}
	return func(row []byte, s *record.Sample) []byte {
		row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
		row = append(row, ',')
		row = append(row, quotedNames[s.Kind]...)
		row = append(row, ',')
		row = strconv.AppendFloat(row, float64(s.End-s.Intended)/1e6, 'f', 3, 64)
		row = append(row, ',')
		row = append(row, quoted(run.Status(s))...)
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(s.Group)+1, 10)
		return append(row, '\n')
	}
}

// quoted is a field of CSV (RFC 4180).
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
