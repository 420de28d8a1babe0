package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/web"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// counted is what a run of so many operations has come to.
func counted(ok, failed int64) *rundoc.Run {
	h := hdrhistogram.New(1, 3_600_000_000_000, 3)
	for i := range ok {
		_ = h.RecordValue(1e6 + i/1000)
	}
	doc := &rundoc.Run{
		Schema: rundoc.Schema, Workload: "tea", Ledger: rundoc.Ledger{Clients: 2, WindowNS: 2e9},
		Plan: json.RawMessage(`{"load":{"rate_per_s":1000}}`),
		Operations: []rundoc.Operation{{
			Name: "ask", Scheduled: ok + failed, OK: ok, Failed: failed, RatePerS: float64(ok) / 2,
			Causes:       []rundoc.Cause{{Cause: "timeout", Count: failed}},
			ResponseTime: rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: 2e6, Sum: ok * 1e6}),
		}},
		Series: []rundoc.Point{
			{Second: 0, OK: ok / 2, Offered: new(int64(1000)), P50NS: 1e6, P99NS: 2e6},
			{Second: 1, OK: ok / 2, Offered: new(int64(1500)), P50NS: 1e6, P99NS: 2e6},
		},
	}
	doc.SumUp(nil)
	return doc
}

// going is a run that goes on.
func going(what string, doc *rundoc.Run) onlook.Moment {
	return onlook.Moment{
		Workload: "tea", What: what, Live: report.Live{Phase: "window", Done: 0.5, Left: time.Second, Elapsed: time.Second},
		Count: func() (*onlook.Counted, error) {
			if doc == nil {
				return nil, nil
			}
			return &onlook.Counted{Doc: doc, InFlight: 7}, nil
		},
	}
}

// said is an event.
type said struct {
	Title, Head, Answer, Details string
	Over                         bool
	Panels                       []struct{ Name string }
}

func eventOf(t *testing.T, p *Page, now ...onlook.Moment) (e said) {
	t.Helper()
	of := p.model(now)
	line, err := of.Event()
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What goes on is shown as it was counted, and no verdict is given.
func TestRunningRunIsShownWithoutVerdict(t *testing.T) {
	p := newPage(onlook.New())
	e := eventOf(t, p, going("", counted(2000, 30)))
	for _, want := range []string{"MEASURING", "1,000", "1.00 ms", "2,000 ok", "timeout 30", "7 in flight", "1,250 op/s", "<dt>p99</dt>", "<dt>Errors</dt>"} {
		if !strings.Contains(e.Answer, want) {
			t.Errorf("there is no %q in %s", want, e.Answer)
		}
	}
	for _, no := range []string{"VALID", "SUSPECT", "INVALID", "Next:", "scheduled"} {
		if strings.Contains(e.Answer, no) {
			t.Errorf("it says %q: %s", no, e.Answer)
		}
	}
	if e.Over || len(e.Panels) == 0 || !strings.Contains(e.Head, "measuring, 1.0 s left") || !strings.Contains(e.Head, "open model") ||
		!strings.Contains(e.Details, "timeout") {
		t.Errorf("%+v", e)
	}
}

// Behind a target that hangs nothing looks as if it went on: that nothing ends is told, and the rate that was asked
// for, of which the counted one knows only what has begun.
func TestHangingTargetIsReported(t *testing.T) {
	p := newPage(onlook.New())
	doc := counted(2000, 30)
	const stalled = "No operation has ended for 5.00 s"
	for _, one := range []struct {
		name    string
		change  func()
		is, not string
	}{
		{"just now", func() { doc.Ledger.WindowNS = 3.9e9 }, "", "has ended for"},
		{"5 s", func() { doc.Ledger.WindowNS = 7e9 }, stalled, ""},
		{"slow", func() { doc.Operations[0].ResponseTime.MaxNS = 6e9; doc.SumUp(nil) }, "", "has ended for"},
		{"waiting", func() { doc.Series[0].Offered, doc.Series[1].Offered = new(int64(40)), new(int64(2)) },
			"1,000 op/s configured, 21.0 op/s started", ""},
		{"stages", func() { doc.Plan = json.RawMessage(`{"load":{"rate_per_s":1000,"stages":[{}]}}`) }, "21.0 op/s", "configured"},
	} {
		one.change()
		e := eventOf(t, p, going("", doc))
		if !strings.Contains(e.Answer, one.is) || one.not != "" && strings.Contains(e.Answer, one.not) {
			t.Errorf("%s: %s", one.name, e.Answer)
		}
	}
}

// Of what is not known there is no figure: before the window, of a program, where counting failed, between two runs.
func TestUnknownValuesAreOmitted(t *testing.T) {
	p := newPage(onlook.New())
	broken := going("", nil)
	broken.Count = func() (*onlook.Counted, error) { return nil, errors.New("no") }
	for name, moments := range map[string][]onlook.Moment{
		"before the window": {going("", nil)}, "an error": {broken}, "none": nil, "one that is over": {{Workload: "tea"}},
	} {
		e := eventOf(t, p, moments...)
		if e.Over || len(e.Panels) != 0 || strings.Contains(e.Answer, "Throughput") || !strings.Contains(e.Answer, "MEASURING") {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Two sides are shown beside each other, each with its charts.
func TestSides(t *testing.T) {
	e := eventOf(t, newPage(onlook.New()), going("launch 1 of at most 20", counted(2000, 0)), going("launch 1 of at most 20", counted(500, 9)))
	if !strings.Contains(e.Answer, "run A") || !strings.Contains(e.Answer, "run B") || !strings.Contains(e.Answer, ">9<") ||
		!strings.Contains(e.Head, "launch 1 of at most 20") {
		t.Errorf("%+v", e)
	}
	names := map[string]bool{}
	for _, panel := range e.Panels {
		if names[panel.Name] {
			t.Errorf("two panels are called %s", panel.Name)
		}
		names[panel.Name] = true
	}
	if !names["throughput-A"] || !names["throughput-B"] {
		t.Errorf("panels %v", names)
	}
}

// Of a set the page says which run goes on, what those before it came to, and at the end what the set did.
func TestSeveral(t *testing.T) {
	p := newPage(onlook.New())
	judged := counted(2000, 0)
	judged.Verdict.Validity = rundoc.Suspect
	p.Over(t.Context(), onlook.Moment{Workload: "tea", What: "run 1 of 3: clients <1>", Ended: judged})
	p.Over(t.Context(), onlook.Moment{Workload: "tea", What: "run 2 of 3"})
	e := eventOf(t, p, going("run 3 of 3: clients 4", counted(10, 0)))
	for _, want := range []string{"run 1 of 3: clients &lt;1&gt;", "1,000/s", "suspect", "no result"} {
		if !strings.Contains(e.Details, want) {
			t.Errorf("there is no %q in %s", want, e.Details)
		}
	}
	if !strings.Contains(e.Head, "run 3 of 3: clients 4 · measuring") {
		t.Errorf("head %s", e.Head)
	}
	for range mostDone {
		p.Over(t.Context(), onlook.Moment{Workload: "tea", What: "one more"})
	}
	if e = eventOf(t, p); !strings.Contains(e.Details, "the last 50 of 52 runs") || strings.Contains(e.Details, "run 1 of 3") {
		t.Errorf("of many: %s", e.Details)
	}
	set := &setdoc.Set{Schema: setdoc.Schema, ID: "x", Kind: setdoc.KindPlan, Planned: 1,
		Members: []setdoc.Member{{Name: "first", Workload: "tea", Verdict: rundoc.Verdict{Validity: rundoc.Suspect}}}}
	p.ask()
	p.conclude(set)
	if e = eventOf(t, p, going("late", nil)); !e.Over || strings.Contains(e.Answer, "MEASURING") {
		t.Errorf("at the end: %+v", e)
	}
}

// The last that a listener hears is the report, with its verdict, whatever becomes of the command behind it.
func TestLastEventIsTheReport(t *testing.T) {
	judged := counted(2000, 0)
	judged.Verdict.Validity = rundoc.Invalid
	for _, c := range []struct {
		name  string
		ended *rundoc.Run
		want  string
	}{{"a run", judged, "INVALID"}, {"a run that came to nothing", nil, "NO RESULT"}} {
		show := onlook.New()
		p, err := Open(t.Context(), web.Options{Flag: "--ui", Address: "0"}, show)
		if err != nil {
			t.Fatal(err)
		}
		leave := show.Enter(func() onlook.Moment { return going("", counted(1000, 0)) })
		client := &http.Client{}
		first, err := client.Get(p.URL())
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(first.Body)
		_ = first.Body.Close()
		if first.StatusCode != 200 || !strings.Contains(string(text), `data-events="/events"`) || !strings.Contains(string(text), "MEASURING") {
			t.Errorf("%s: the page: %d", c.name, first.StatusCode)
		}
		events, err := client.Get(p.URL() + "events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(events.Body)
		lines.Buffer(nil, 1<<20)
		heard := "" // what the show says every second
		for heard == "" && lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				heard = data
			}
		}
		if !strings.Contains(heard, "MEASURING") || !strings.Contains(heard, `"over":false`) {
			t.Errorf("%s: the first event: %s", c.name, heard)
		}
		end := going("", nil)
		end.Ended, end.Count = c.ended, nil
		leave(end)
		p.End(nil)
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				heard = data
			}
		}
		if lines.Err() != nil || !strings.Contains(heard, c.want) || !strings.Contains(heard, `"over":true`) {
			t.Errorf("%s: the last event: %v %s", c.name, lines.Err(), heard)
		}
		_ = events.Body.Close()
		client.CloseIdleConnections()
		if _, err := client.Get(p.URL()); err == nil {
			t.Errorf("%s: it is still served", c.name)
		}
	}
}

// Nothing is worked out of a run that nobody looks at.
func TestNoListenerNoWork(t *testing.T) {
	p := newPage(onlook.New())
	m := going("", nil)
	m.Count = func() (*onlook.Counted, error) { t.Error("it was counted"); return nil, nil }
	p.See(t.Context(), []onlook.Moment{m})
}

// An address that is taken is said in the words of the flag, and leaves nothing behind.
func TestAddressInUse(t *testing.T) {
	s, err := web.Listen(t.Context(), web.Options{Flag: "--ui", Address: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = Open(t.Context(), web.Options{Flag: "--ui", Address: strings.Trim(strings.TrimPrefix(s.URL(), "http://"), "/")}, onlook.New())
	if fault.CodeOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "--ui: cannot listen on") {
		t.Errorf("%v", err)
	}
}

// The report of a single run is there as soon as the run is over, whatever its command still waits for; that of one of
// several is not the end.
func TestReportIsShownBeforeTheCommandEnds(t *testing.T) {
	judged := counted(2000, 0)
	judged.Verdict.Validity = rundoc.Invalid
	for what, over := range map[string]bool{"": true, "run 1 of 2": false} {
		p := newPage(onlook.New())
		p.Over(t.Context(), onlook.Moment{Workload: "tea", What: what, Ended: judged})
		if e := eventOf(t, p); e.Over != over || strings.Contains(e.Answer, "INVALID") != over {
			t.Errorf("%q: %+v", what, e)
		}
	}
}
