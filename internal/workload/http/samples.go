package http

import (
	"strconv"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
)

// samples are those of a run: the actual start in UTC, the request, the response time and its parts in ms, "ok" or why
// not, and the bytes.
func (h *HTTP) samples(o *plan.Output) run.Samples {
	s := run.Samples{Path: o.Samples, Header: "timestamp,request,latencyMs,statusCode,sendMs,waitMs,bodyMs,bytes\n",
		Format: h.row, All: o.Warmup}
	if s.All {
		s.Header = s.Header[:len(s.Header)-1] + ",phase\n"
		s.Format = func(b []byte, m *record.Sample) []byte {
			b = h.row(b, m)
			b = append(b[:len(b)-1], ',')
			b = append(b, m.Phase...)
			return append(b, '\n')
		}
	}
	return s
}

func (h *HTTP) row(row []byte, s *record.Sample) []byte {
	millis := func(ns int64) {
		row = append(row, ',')
		row = strconv.AppendFloat(row, float64(ns)/1e6, 'f', 3, 64)
	}
	row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
	row = append(row, ',')
	row = append(row, quoted(h.kinds[s.Kind].Name)...)
	millis(s.End - s.Intended)
	row = append(row, ',')
	row = append(row, quoted(run.Status(s))...)
	if s.Stages.Known {
		millis(s.Stages.Send)
		millis(s.Stages.Wait)
		millis(s.Stages.Body)
	} else {
		row = append(row, ",,,"...)
	}
	row = append(row, ',')
	row = strconv.AppendInt(row, s.Bytes, 10)
	return append(row, '\n')
}

// quoted is a field of CSV (RFC 4180).
func quoted(s string) string {
	for _, c := range s {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return strconv.Quote(s)
		}
	}
	return s
}
