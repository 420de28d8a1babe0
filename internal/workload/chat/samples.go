package chat

import (
	"strconv"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
)

const samplesHeader = "timestamp,messageType,latencyMs,statusCode,roomId"

// samplesOf are the samples of a run whose messages are of these types. Only rows of which some may be of the warm-up
// name their phase, so that those of the window alone are what other programs know.
func samplesOf(o *plan.Output, types []string) run.Samples {
	s := run.Samples{Path: o.Samples, Header: samplesHeader + "\n", Format: sampleFormat(types), All: o.Warmup}
	if row := s.Format; s.All {
		s.Header = samplesHeader + ",phase\n"
		s.Format = func(b []byte, m *record.Sample) []byte {
			b = row(b, m)
			b = append(b[:len(b)-1], ',')
			b = append(b, m.Phase...)
			return append(b, '\n')
		}
	}
	return s
}

// sampleFormat writes a row: the actual start in UTC, the message type, the response time in
// ms, "ok" or why not, and the room.
func sampleFormat(types []string) func([]byte, *record.Sample) []byte {
	return func(row []byte, s *record.Sample) []byte {
		row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
		row = append(row, ',')
		row = append(row, types[s.Kind]...)
		row = append(row, ',')
		row = strconv.AppendFloat(row, float64(s.End-s.Intended)/1e6, 'f', 3, 64)
		row = append(row, ',')
		row = append(row, run.Status(s)...)
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(s.Group)+1, 10)
		return append(row, '\n')
	}
}
