package export

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// set reads flags, as "name=value", and checks their rules.
func set(flags ...string) (Settings, error) {
	var s Settings
	all := setting.New(s.Settings()...)
	for _, one := range flags {
		name, value, _ := strings.Cut(one, "=")
		if err := all.Lookup(name).Set(value); err != nil {
			return s, fault.New(fault.Usage, "--%s: %w", name, err).Hint("-")
		}
	}
	return s, all.Check()
}

// What is given is taken as it is, or refused in a line that names the flag and what is wrong with it.
func TestFlags(t *testing.T) {
	const metrics, otlp = "metrics=127.0.0.1:9090", "otlp=http://127.0.0.1:4318/x"
	for flags, want := range map[string]Settings{
		"": {}, metrics: {Metrics: "127.0.0.1:9090"}, "otlp=https://h": {OTLP: "https://h"},
		metrics + " metrics-linger=1ns":             {Metrics: "127.0.0.1:9090", MetricsLinger: 1},
		"metrics-linger=0s":                         {},
		otlp + " otlp-every=1s":                     {OTLP: otlp[5:], OTLPEvery: time.Second},
		otlp + " otlp-every=PT1M otlp-sample=1e4/s": {OTLP: otlp[5:], OTLPEvery: time.Minute, OTLPSample: Sample{PerSecond: 10000}},
		otlp + " otlp-sample=0.5":                   {OTLP: otlp[5:], OTLPSample: Sample{Share: .5}},
		otlp + " otlp-sample=0%":                    {OTLP: otlp[5:], OTLPSample: Sample{None: true}},
	} {
		got, err := set(strings.Fields(flags)...)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", flags, err, diff)
		}
	}
	for flags, want := range map[string]string{
		"metrics=h": `--metrics "h" is not an address`, "metrics-linger=1ns": "--metrics-linger needs --metrics",
		metrics + " metrics-linger=-1ns": "--metrics-linger -1ns is negative",
		"otlp=ftp://h":                   "--otlp ftp://h is not a collector URL", "otlp=http:///x": "--otlp http:///x is not",
		"otlp=h:1": "--otlp h:1 is not", "otlp=http://u:hunter2@h:x": "--otlp http://… is not",
		otlp + " otlp-every=0s":       `--otlp-every: "0s" is too short: it must be at least 1s`,
		otlp + " otlp-every=-5s":      `--otlp-every: "-5s" is too short: it must be at least 1s`,
		otlp + " otlp-every=999ms":    `--otlp-every: "999ms" is too short: it must be at least 1s`,
		otlp + " otlp-every=5":        `--otlp-every: "5" has no unit`,
		"otlp-every=1s":               "--otlp-every needs --otlp",
		"otlp-sample=5%":              "--otlp-sample needs --otlp",
		"otlp-sample=0":               "--otlp-sample needs --otlp",
		otlp + " otlp-sample=0/s":     `--otlp-sample: "0/s" is not a number of spans per second above 0 and up to 10000`,
		otlp + " otlp-sample=10001/s": `--otlp-sample: "10001/s" is not a number`,
		otlp + " otlp-sample=NaN/s":   `--otlp-sample: "NaN/s" is not a number`,
		otlp + " otlp-sample=x/s":     `--otlp-sample: "x/s" is not a number`,
		otlp + " otlp-sample=101%":    `--otlp-sample: "101%" is neither a number per second, such as 100/s, nor a share`,
	} {
		_, err := set(strings.Fields(flags)...)
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s", flags, err, want)
		}
	}
}

// A sample is read as it is written, and picks as many as it says.
func TestSample(t *testing.T) {
	for text, want := range map[string]struct {
		picked, lost int64 // of 100,000 in ten seconds
	}{
		"100/s": {1000, 0}, "": {1000, 0}, "0.5/s": {5, 0}, "0.00001/s": {1, 0}, "10000/s": {40000, 60000}, "0": {}, "5%": {5000, 0}, "100%": {32768, 67232},
		"300/s": {1200, 1800}, "250/s": {1024, 1476},
	} {
		var s Sample
		if text != "" {
			var err error
			if s, err = parseSample(" " + text + " "); err != nil || s.String() != text {
				t.Errorf("%q is read as %q: %v", text, s, err)
			}
		}
		p := s.picker()
		if p == nil {
			if text != "0" {
				t.Errorf("%q picks nothing", text)
			}
			continue
		}
		for i := range int64(100_000) {
			p.Offer(&record.Operation{End: i * 1e5}, func(int64) time.Time { return time.Time{} })
		}
		_, lost := p.Counts()
		if picked := int64(len(p.Take())); picked != want.picked || lost != want.lost {
			t.Errorf("%q picks %d, and %d have no room", text, picked, lost)
		}
	}
}

// Final values are waited for where there are some.
func TestLinger(t *testing.T) {
	s, show := Settings{MetricsLinger: time.Hour}, onlook.New()
	if got := s.linger(show); got != 0 {
		t.Errorf("without a run: %v", got)
	}
	show.Enter(of)(onlook.Moment{Ended: &rundoc.Run{}})
	if got := s.linger(show); got != time.Hour {
		t.Errorf("behind a run: %v", got)
	}
	show.Enter(of)(onlook.Moment{})
	if got := s.linger(show); got != 0 {
		t.Errorf("behind a run that came to nothing: %v", got)
	}
}

func of() onlook.Moment { return onlook.Moment{} }

// What nobody asked for is not opened; what was is where it says, and gone behind the end.
func TestOpen(t *testing.T) {
	show, end, err := new(Settings).Open(t.Context(), Surroundings{})
	if end(t.Context()); show != nil || err != nil {
		t.Errorf("%v, %v", show, err)
	}
	for _, quiet := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := l.Addr().String()
		l.Close()
		var notes []string
		s := Settings{Metrics: at}
		show, end, err := s.Open(t.Context(), Surroundings{Quiet: quiet, Note: func(n string) { notes = append(notes, n) }})
		if err != nil || show == nil || show.NewPicker() != nil {
			t.Fatal(show, err)
		}
		answer, err := http.Get("http://" + at + "/metrics")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
		end(t.Context())
		if answer, err := http.Get("http://" + at + "/metrics"); err == nil {
			answer.Body.Close()
			t.Error("it is still there")
		}
		want := []string{"metrics at http://" + at + "/metrics"}
		if quiet {
			want = nil
		}
		if !slices.Equal(notes, want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
}

// What was opened before what cannot be is closed, and what the environment has wrong is told without what it says.
func TestNotOpened(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nothing := func(string) (string, bool) { return "", false }
	s := Settings{OTLP: "http://127.0.0.1:9", Metrics: l.Addr().String()}
	if _, _, err := s.Open(t.Context(), Surroundings{LookupEnv: nothing}); fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v", err)
	} // and no goroutine is left
	s.Metrics = ""
	_, _, err = s.Open(t.Context(), Surroundings{LookupEnv: func(name string) (string, bool) { return "hunter2", true }})
	if fault.CodeOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "--otlp: ") || fault.HintOf(err) == "" ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// A collector is told how the run went, in the end, and what it did not take is told.
func TestPushed(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		took := 0
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		collector := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if took++; refuses {
				w.WriteHeader(http.StatusBadRequest)
			}
		})}
		served := make(chan error)
		// goroutine: it is waited for below.
		go func() { served <- collector.Serve(l) }()
		var notes []string
		s := Settings{OTLP: "http://" + l.Addr().String()}
		show, end, err := s.Open(t.Context(), Surroundings{Note: func(n string) { notes = append(notes, n) },
			LookupEnv: func(string) (string, bool) { return "", false }})
		if err != nil || show.NewPicker() == nil {
			t.Fatal(show, err)
		}
		show.Enter(of)(onlook.Moment{ID: "r1", Sums: func() *record.Sums { return &record.Sums{} }})
		end(t.Context())
		collector.Close()
		<-served
		last := ""
		if len(notes) > 0 {
			last = notes[len(notes)-1]
		}
		if took == 0 || (last == "--otlp: not sent: the last metrics of a run") != refuses || !refuses && last != "" {
			t.Errorf("refused: %v; %d were taken; %q", refuses, took, notes)
		}
	}
}
