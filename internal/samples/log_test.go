package samples_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/samples"
)

// interval is a line of a log as a reader has it: when it began, after the log did, how long it is, its highest value
// in ms, and how many there are of each value of its histogram, by the least that counts as such.
type interval struct {
	tag, from, length, highest string
	times                      map[int64]int64
}

// logOf makes a log of a file, and reads it.
func logOf(t *testing.T, text string) (base string, all []interval, w samples.Written) {
	t.Helper()
	r, err := samples.NewReader(strings.NewReader(text), "s.csv")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if w, err = samples.ToLog(t.Context(), r, "s.csv", &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if of, is := strings.CutPrefix(line, "#[BaseTime: "); is {
			base, _, _ = strings.Cut(of, " ")
		}
		of, tagged := strings.CutPrefix(line, "Tag=")
		if !tagged {
			if !strings.HasPrefix(line, "#[") && !strings.HasPrefix(line, `"StartTimestamp",`) {
				t.Errorf("a line without a tag: %s", line)
			}
			continue
		}
		fields := strings.Split(of, ",")
		h, err := hdrhistogram.Decode([]byte(fields[4]))
		if err != nil {
			t.Fatal(err)
		}
		if h.LowestTrackableValue() != 1 || h.HighestTrackableValue() != 3*3600e9 || h.SignificantFigures() != 3 {
			t.Errorf("a histogram from %d to %d ns, of %d digits", h.LowestTrackableValue(), h.HighestTrackableValue(),
				h.SignificantFigures())
		}
		i := interval{fields[0], fields[1], fields[2], fields[3], map[int64]int64{}}
		for _, bar := range h.Distribution() {
			if bar.Count > 0 {
				i.times[bar.From] += bar.Count
			}
		}
		all = append(all, i)
	}
	return base, all, w
}

// row is a row of a file with these columns, that began in a second of 1970.
const logHeader = "timestamp,operation,responseMs,status\n"

func row(second int, operation, ms, status string) string {
	at := time.Unix(int64(second), 400_000_000).UTC()
	return at.Format("2006-01-02T15:04:05.000000Z") + "," + operation + "," + ms + "," + status + "\n"
}

// TestWhichTimesAreInTheLog: those of a run's response times, wherever the columns stand.
func TestWhichTimesAreInTheLog(t *testing.T) {
	for _, test := range []struct {
		header string
		rows   string
		left   int64
		want   []interval
	}{
		{"statusCode,message,latencyMs", "ok,a,1\nunfinished,a,1.5\ntimeout,a,2\nconnect-timeout,a,3\n" +
			"rejected: 503,a,9\n,a,9\ntimeouts,a,9\n", 3,
			[]interval{{"a", "0.000", "0.000", "3.000", counted(1e6, 1.5e6, 2e6, 3e6)}}},
		{"phase,latencyMs,operation", "window,1,a\nwarmup,2,a\ndrain,2,a\nwindow,1,b\n,4,b\n", 3,
			[]interval{{"a", "0.000", "0.000", "1.000", counted(1e6)}, {"b", "0.000", "0.000", "1.000", counted(1e6)}}},
		{"phase,statusCode,latencyMs,operation", "window,ok,1,a\nwarmup,ok,1,a\nwindow,refused,1,a\n", 2,
			[]interval{{"a", "0.000", "0.000", "1.000", counted(1e6)}}},
		{"operation,duration,total", "a,1,5\na,1,6\n", 0, []interval{{"a", "0.000", "0.000", "1.000", counted(1e6, 1e6)}}},
		{"latencyMs,duration,operation", "1,7,a\n", 0, []interval{{"a", "0.000", "0.000", "1.000", counted(1e6)}}},
		{"latencyMs,request", "-1,a\n0,b\n0.000001,c\n14400000,d\n", 0, []interval{
			{"a", "0.000", "0.000", "0.000", counted(0)}, {"b", "0.000", "0.000", "0.000", counted(0)},
			{"c", "0.000", "0.000", "0.000", counted(1)}, {"d", "0.000", "0.000", "10806137.717", counted(3 * 3600e9)}}},
		{"request,latencyMs", "", 0, nil},
		{"request,latencyMs,status", "a,1,refused\n", 1, nil},
	} {
		base, got, w := logOf(t, test.header+"\n"+test.rows)
		want := samples.Written{Rows: int64(strings.Count(test.rows, "\n")), Left: test.left}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(interval{})); diff != "" || w != want || base != "0.000" {
			t.Errorf("%s: %+v, from %s: %s", test.header, w, base, diff)
		}
	}
}

// counted are times as a histogram of three digits counts them: it has 2,048 values for those up to the next power of
// two.
func counted(times ...int64) map[int64]int64 {
	out := map[int64]int64{}
	for _, v := range times {
		width := int64(1)
		for v/width >= 2048 {
			width *= 2
		}
		out[v/width*width]++
	}
	return out
}

// TestTimesBySecond: rows that come in any order within two minutes are each in the second of its own, whose highest is
// theirs, and none is lost.
func TestTimesBySecond(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var text strings.Builder
	text.WriteString(logHeader)
	times, first := map[string]map[int][]int64{}, 1<<60
	for range 3000 {
		second, ns := 1000+random.IntN(120), random.Int64N(1<<random.IntN(43))
		operation := []string{"get", "put"}[random.IntN(2)]
		text.WriteString(row(second, operation, fmt.Sprintf("%d.%06d", ns/1e6, ns%1e6), "ok"))
		if times[operation] == nil {
			times[operation] = map[int][]int64{}
		}
		times[operation][second], first = append(times[operation][second], ns), min(first, second)
	}
	base, all, w := logOf(t, text.String())
	if base != fmt.Sprintf("%d.000", first) || w != (samples.Written{Rows: 3000}) {
		t.Errorf("from %s, want %d; %+v", base, first, w)
	}
	before := ""
	for _, i := range all {
		from, err := strconv.ParseFloat(i.from, 64)
		if err != nil {
			t.Fatal(err)
		}
		of := times[i.tag][first+int(from)]
		if diff := cmp.Diff(counted(of...), i.times); diff != "" || i.length != "1.000" {
			t.Errorf("seed %d, %s from %s for %s: %s", seed, i.tag, i.from, i.length, diff)
		}
		highest, err := strconv.ParseFloat(i.highest, 64)
		if most := float64(slices.Max(of)) / 1e6; err != nil || highest < most-0.001 || highest > most*1.001+0.001 {
			t.Errorf("seed %d, %s from %s: the highest is %s ms, and %f was", seed, i.tag, i.from, i.highest, most)
		}
		if at := fmt.Sprintf("%9s %s", i.from, i.tag); at <= before {
			t.Errorf("%s behind %s", at, before)
		} else {
			before = at
		}
		delete(times[i.tag], first+int(from))
	}
	if len(times["get"])+len(times["put"]) > 0 {
		t.Errorf("seed %d: these are in no interval: %v", seed, times)
	}
}

// TestNoLogWithoutTimes: what has no column of times, or of operations, is no log.
func TestNoLogWithoutTimes(t *testing.T) {
	for _, header := range []string{"operation,status\n", "latencyMs,status\n", "status,phase\n"} {
		r, err := samples.NewReader(strings.NewReader(header), "s.csv")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w, err := samples.ToLog(t.Context(), r, "s.csv", &out)
		if fault.CodeOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "s.csv:1: ") || out.Len() > 0 {
			t.Errorf("%q: %+v, %v", header, w, err)
		}
	}
}
