package figure_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestLimit: what a figure is held against is read in the units that people write, and of what is both a count and a
// share the number says which of the two is meant.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       float64
		unit       figure.Unit
	}{
		{"p99", "50ms", 50e6, figure.Time}, {"p99", " 1.5 s ", 1.5e9, figure.Time}, {"p99", "PT0.05S", 50e6, figure.Time},
		{"p99", "pt2s", 2e9, figure.Time}, {"p99", ".5us", 500, figure.Time}, {"p99", "0s", 0, figure.Time}, {"p99", "1ns", 1, figure.Time},
		{"failed", "0.1%", 0.001, figure.Share}, {"failed", "0.001", 0.001, figure.Share}, {"failed", ".5", 0.5, figure.Share},
		{"failed", "00.5", 0.5, figure.Share}, {"failed", "5%", 0.05, figure.Share}, {"failed", "100%", 1, figure.Share},
		{"failed", "0", 0, figure.Count}, {"failed", "1", 1, figure.Count}, {"failed", "12", 12, figure.Count},
		{"ok", "99%", 0.99, figure.Share}, {"ok", "1_000", 1000, figure.Count}, {"reconnects", "3", 3, figure.Count},
		{"rate", "1000/s", 1000, figure.PerSecond}, {"rate", "1000", 1000, figure.PerSecond}, {"rate", "2k/s", 2000, figure.PerSecond},
		{"rate", "2K", 2000, figure.PerSecond}, {"rate", "1.5 M/s", 1.5e6, figure.PerSecond}, {"rate", "1_500.5/s", 1500.5, figure.PerSecond}, {"rate", "10_0/s", 100, figure.PerSecond},
		{"rate", "9_9/s", 99, figure.PerSecond},
		{"bytes", "128KiB", 128 << 10, figure.Bytes}, {"bytes", "10MB", 10e6, figure.Bytes}, {"bytes", "512", 512, figure.Bytes},
		{"bytes_rate", "7B/s", 7, figure.BytesPerSec}, {"bytes_rate", "16bit/s", 2, figure.BytesPerSec},
		{"bytes_rate", "200MB/s", 200e6, figure.BytesPerSec}, {"bytes_rate", "190 MiB/s", 190 << 20, figure.BytesPerSec},
		{"bytes_rate", "1600Mbit/s", 200e6, figure.BytesPerSec}, {"bytes_rate", "3kB/s", 3000, figure.BytesPerSec},
		{"bytes_rate", "3KB/s", 3000, figure.BytesPerSec}, {"bytes_rate", "3KiB/s", 3072, figure.BytesPerSec},
		{"bytes_rate", "8kbit/s", 1000, figure.BytesPerSec}, {"bytes_rate", "2GB/s", 2e9, figure.BytesPerSec},
		{"bytes_rate", "2GiB/s", 2 << 30, figure.BytesPerSec}, {"bytes_rate", "1TB/s", 1e12, figure.BytesPerSec},
		{"bytes_rate", "1TiB/s", 1 << 40, figure.BytesPerSec}, {"bytes_rate", "8Tbit/s", 1e12, figure.BytesPerSec},
	} {
		v, spec, err := parsed(t, tt.name, figure.Known{}).Limit(tt.text)
		if err != nil || v != tt.want || spec.Unit() != tt.unit {
			t.Errorf("%s, %q: %v %s, %v", tt.name, tt.text, v, spec.Unit(), err)
		}
	}
}

// TestWrongLimits: each is refused with what it should have been.
func TestWrongLimits(t *testing.T) {
	const (
		aTime  = "p99 is a time, but %q is not: write it as 50ms, 0.05s or PT0.05S"
		aRate  = "rate is a number of operations per second, but %q is not: write it as 1000/s"
		aWidth = "bytes_rate is a bandwidth, but %q is not: write it as 200MB/s, 190MiB/s or 1600Mbit/s"
		aSize  = "bytes is a size, but %q is not: write it as 10MB, 128KiB or 512"
		both   = "failed is a count or a share of the operations, but %q is not: write it as 12 or 0.1%%"
		aShare = "failed is a share, but %q is not: write it as 0.1%% or 0.001"
		aCount = "reconnects is a count, but %q is not: write it as 12"
	)
	for _, tt := range []struct{ name, text, want string }{
		{"p99", "", "the value is missing"}, {"p99", " ", "the value is missing"},
		{"p99", "-5ms", `"-5ms" is negative, but p99 cannot be`}, {"failed", "-1%", `"-1%" is negative, but failed cannot be`},
		{"p99", "50", `"50" has no unit: write 50ms or 50s`}, {"p99", "0.5", `"0.5" has no unit: write 0.5ms or 0.5s`},
		{"p99", "0.1ns", `"0.1ns" is less than a nanosecond`}, {"p99", "0.4ns", `"0.4ns" is less than a nanosecond`},
		{"p99", "0.9ns", `"0.9ns" is less than a nanosecond`},
		{"p99", "9223372036854775807ns", `"9223372036854775807ns" is too long`},
		{"p99", "fast", aTime}, {"p99", "5 parsecs", aTime}, {"p99", "<5ms", aTime}, {"p99", "PTS", aTime}, {"p99", "1.2.3", aTime},
		{"p99", "99999999999h", aTime}, {"p99", "+5ms", aTime},
		{"rate", "x5", aRate}, {"rate", "5G/s", aRate}, {"rate", "5/h", aRate}, {"rate", "1.2.3/s", aRate}, {"rate", "5_/s", aRate},
		{"rate", "1__0/s", aRate}, {"rate", "P5", aRate}, {"rate", "1_.5/s", aRate}, {"rate", "1._5", aRate},
		{"bytes_rate", "5", `"5" has no unit: write 5MB/s, 5MiB/s or 5Mbit/s`}, {"bytes_rate", "5MB", aWidth}, {"bytes_rate", "5Mb/s", aWidth},
		{"bytes_rate", "5iB/s", aWidth}, {"bytes_rate", "5PB/s", aWidth}, {"bytes_rate", "1.2.3", aWidth},
		{"bytes", "5 apples", aSize}, {"bytes", "0.5", aSize},
		{"failed", "1.5", `"1.5" is neither a whole number nor a share: write 1.5% for a share`}, {"failed", "12x", both}, {"failed", "1.x", both},
		{"failed", "0.x", aShare}, {"failed", ".x5", aShare}, {"failed", "200%", `"200%" is not a share: it must be from 0 to 1, or from 0% to 100%`},
		{"failed", "1x%", `"1x%" is not a share: write it as 0.05 or 5%`},
		{"reconnects", "1.5", aCount}, {"reconnects", "5%", aCount}, {"reconnects", "many", aCount}, {"reconnects", "+5", aCount},
	} {
		want := tt.want
		if strings.Contains(want, "%q is not: ") {
			want = fmt.Sprintf(want, strings.TrimSpace(tt.text))
		}
		v, spec, err := parsed(t, tt.name, figure.Known{}).Limit(tt.text)
		if err == nil || err.Error() != want || v != 0 || spec.Name() != tt.name {
			t.Errorf("%s, %q: %v, %v\nwant %s", tt.name, tt.text, v, err, want)
		}
	}
}

// TestTextOfAValue: as reports show it, and with more digits beside one that it is not.
func TestTextOfAValue(t *testing.T) {
	for _, tt := range []struct {
		unit        figure.Unit
		v, other    float64
		text, aside string
	}{
		{figure.Time, 50.04e6, 50e6, "50.0 ms", "50.04 ms"}, {figure.Time, 50e6, 50.04e6, "50.0 ms", "50.00 ms"},
		{figure.Time, 50e6, 50e6, "50.0 ms", "50.0 ms"}, {figure.Time, 50e6, 60e6, "50.0 ms", "50.0 ms"},
		{figure.Time, 2.0001e9, 2e9, "2.00 s", "2.0001 s"}, {figure.Time, 7001, 7000, "7.00 µs", "7.001 µs"},
		{figure.PerSecond, 1000.4, 1000, "1,000/s", "1,000.4/s"}, {figure.BytesPerSec, 200.4e6, 200e6, "200 MB/s", "200.4 MB/s"},
		{figure.Share, 0.0123, 0.0124, "1.2%", "1.23%"}, {figure.Bytes, 10 << 20, 10<<20 + 1, "10.0 MiB", "10,485,760 B"},
		{figure.Count, 1234, 1235, "1,234", "1,234"}, {figure.Count, 0.10000000001, 0.1, "0.1", "0.10000000001"},
		{figure.Count, 1e-12, 0, "0", "1e-12"}, {figure.Count, 1.5e-13, 1.2e-13, "0", "1.5e-13"}, {figure.Count, 1e-11, 0, "0", "0.00000000001"}, {figure.Count, 0.5, 0.5, "0.5", "0.5"},
		{figure.Time, 1e300, 1, "4,610,000,000 s", "4,610,000,000 s"}, {figure.Time, -1e300, 1, "-4,610,000,000 s", "-4,610,000,000 s"}, {figure.Bytes, 1e300, 1, "4,190,000 TiB", "4,190,000 TiB"},
	} {
		if text, aside := tt.unit.Text(tt.v), tt.unit.TextBeside(tt.v, tt.other); text != tt.text || aside != tt.aside {
			t.Errorf("%s %v beside %v: %q, %q", tt.unit, tt.v, tt.other, text, aside)
		}
	}
}

// TestList: all figures of a kind with how their values are written, its own first, and the names that a shell offers.
func TestList(t *testing.T) {
	list := figure.List(figure.Known{Own: own(t), Labels: []string{"type"}, Lacks: []string{"connect"}})
	var got []string
	for _, l := range list {
		got = append(got, fmt.Sprint(l.Name, " ", l.Unit, " ", l.Labels, " ", l.Own, " ", l.Write))
	}
	want := []string{
		"visibility.p99 ns [stage] true 50ms", "room.p99 ns [room] true 50ms", "retries count [] true 12",
		"p99 ns [operation type] false 50ms", "service.p99 ns [operation type] false 50ms", "send_delay.p99 ns [operation type] false 50ms",
		"first_attempt.p99 ns [operation type] false 50ms",
		"rate per_s [operation type] false 1000/s", "bytes_rate bytes_per_s [operation type] false 200MB/s",
		"failed share [operation type] false 0.1% or 12", "ok count [operation type] false 0.1% or 12",
		"unsent count [operation type] false 0.1% or 12", "unfinished count [operation type] false 0.1% or 12",
		"reconnects count [] false 12", "bytes bytes [operation type] false 10MB", "cpu_per_operation ns [] false 50ms",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, l := range list {
		if l.Help == "" && !l.Own {
			t.Errorf("%s: no help", l.Name)
		}
		if _, err := figure.Parse(l.Name, figure.Known{Own: own(t)}); err != nil {
			t.Error(err)
		}
	}
	names := figure.Names(figure.Known{Own: own(t), Lacks: []string{"service", "send_delay", "first_attempt", "connect"}})
	if got := strings.Join(names, " "); got != "p50 p90 p95 p99 p99.9 mean min max visibility.p50 visibility.p99 visibility.mean "+
		"visibility.max room.p99 retries response.p50 response.p99 response.mean response.max rate bytes_rate failed ok unsent "+
		"unfinished reconnects bytes cpu_per_operation" {
		t.Error(got)
	}
}

// TestIntervalOfARate: the seconds say it, of all operations only, and it does not go below 0.
func TestIntervalOfARate(t *testing.T) {
	run := func(counts ...int64) *rundoc.Run {
		r := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: int64(len(counts)) * 1e9}, Operations: []rundoc.Operation{{Name: "get", BytesPerS: 5}}}
		for i, n := range counts {
			r.Series = append(r.Series, rundoc.Point{Second: int64(i), OK: n})
			r.Operations[0].OK += n
		}
		r.Operations[0].RatePerS = float64(r.Operations[0].OK) / float64(len(counts))
		return r
	}
	steady := make([]int64, 40)
	for i := range steady {
		steady[i] = 100 + int64(i*7%5) // 100 to 104
	}
	v := parsed(t, "rate", figure.Known{}).Of(run(steady...))
	if v.Low == nil || v.Unsure != "" || math.Abs(*v.Low+*v.High-2*v.Raw) > 1e-9 || *v.Low < 100 || *v.High > 104 || *v.High == *v.Low {
		t.Errorf("%+v", v)
	}
	wild := make([]int64, 40)
	wild[7], wild[23] = 1000, 900
	if v := parsed(t, "rate", figure.Known{}).Of(run(wild...)); v.Low == nil || *v.Low != 0 || *v.High <= v.Raw {
		t.Errorf("%+v", v)
	}
	for name, want := range map[string]string{
		"rate{operation=get}": "no confidence interval for the rate: the time series has only all operations together",
		"bytes_rate":          "no confidence interval for the rate: the time series counts operations",
	} {
		if v := parsed(t, name, figure.Known{}).Of(run(steady...)); v.Low != nil || v.Unsure != want {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := parsed(t, "rate", figure.Known{}).Of(run(5)); v.Low != nil || !strings.HasPrefix(v.Unsure, "no confidence interval for the rate: ") {
		t.Errorf("of one second: %+v", v)
	}
}
