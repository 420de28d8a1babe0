package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// hostile is text that would do harm where it is taken for markup.
const hostile = `</script><script>window.harm=1</script><img src=x onerror="window.harm=2">`

// TestFixtures writes the pages that tools/browser looks at: one with all that a panel can say, and a large one.
func TestFixtures(t *testing.T) {
	dir := os.Getenv("PLIMSOLL_PAGES")
	if dir == "" {
		t.Skip("PLIMSOLL_PAGES names no folder: tools/browser sets it")
	}
	save(t, dir, "all", fixture())
	save(t, dir, "large", largeFixture())
	writeFile(t, filepath.Join(dir, "live.html"), func(b *bytes.Buffer) error {
		c := fixture()
		c.Now, c.Panels = "measuring, 3 s of 60 s", c.Panels[:2]
		return Live(b, c, "/events")
	})
	for i := range 3 {
		c := fixture()
		c.Panels = c.Panels[:3]
		c.Title = fmt.Sprintf("Live, event %d", i)
		c.Now = fmt.Sprintf("measuring, %d s of 60 s", 4+i)
		if i == 2 {
			c.Now = ""
		}
		text, err := c.Event()
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("event-%d.json", i)), func(b *bytes.Buffer) error {
			_, err := b.Write(text)
			return err
		})
	}
}

// save writes a page, and beside it what it is to show.
func save(t *testing.T, dir, name string, c Content) {
	t.Helper()
	writeFile(t, filepath.Join(dir, name+".html"), func(b *bytes.Buffer) error { return Write(b, c) })
	writeFile(t, filepath.Join(dir, name+".panels.json"), func(b *bytes.Buffer) error {
		return json.NewEncoder(b).Encode(c.Panels)
	})
	for _, d := range c.Documents {
		writeFile(t, filepath.Join(dir, name+".document"), func(b *bytes.Buffer) error {
			_, err := b.Write(d.Text)
			return err
		})
	}
}

func writeFile(t *testing.T, path string, fill func(*bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fixture has a panel of each sort, every style, scale and unit.
func fixture() Content {
	table := report.TableOf([]sized{
		{"b", "1.5 ms", "12%", "1,234"}, {"a", "900 µs", "3.4%", "56"}, {hostile, "–", "100%", "7"},
		{"c", "2 s", "< 0.001%", "12,345,678"},
	}, sizedColumns()...)
	return Content{
		Model: Model{
			Title: "Plimsoll fixture " + hostile, Subtitle: "all that a page can show",
			Facts: []report.Fact{
				{Key: "Throughput", Value: "2,968 msg/s, 659 KiB/s", Strong: true},
				{Key: "Response time", Value: "p50 423 µs ± 10% · p99 2.07 ms · max 12.8 ms", Strong: true},
				{Key: "Verdict", Value: "VALID: believe it", Tone: report.Good, Points: []string{hostile}},
			},
			Tiles: []report.Tile{
				{Name: "Throughput", Value: "2,968", Unit: "msg/s", Notes: []string{"95% CI 2,910–3,026"}},
				{Name: "p99", Value: "2.07", Unit: "ms", Notes: []string{"1.80 ms corrected", hostile}, Tone: report.Bad},
			},
			Thresholds: []report.ThresholdRow{
				{Name: "p50", Limit: "< 1 ms", Value: "423 µs", Outcome: "met", Tone: report.Good},
				{Name: hostile, Limit: "≥ 1", Outcome: "cannot be evaluated", Tone: report.Doubtful},
			},
			Panels: []graph.Panel{
				steps(), percentiles(), distribution(), heatMap(60, 24), stacked(30), probes(), waterfall(), shares(),
				{Name: "nothing", Title: "Nothing at all", Empty: "no second had enough of them " + hostile},
			},
			Sections: []report.Section{
				{Title: "Sizes", Intro: []string{"What it is."}, Tables: []report.Table{table}, Notes: []string{hostile}},
			},
			Next: "plimsoll chat",
		},
		Documents: []Document{{Name: "run.json", Schema: "plimsoll.run/v1", Text: closedModel()}},
	}
}

type sized struct{ name, took, share, count string }

func sizedColumns() []report.Column[sized] {
	return []report.Column[sized]{
		report.Left("", func(s sized) string { return s.name }),
		report.Right("took", func(s sized) string { return s.took }),
		report.Right("share", func(s sized) string { return s.share }),
		report.Right("count", func(s sized) string { return s.count }),
	}
}

func minute() graph.Axis {
	return graph.Axis{Name: "time since the start of the window", Unit: graph.Seconds, To: 60}
}

func steps() graph.Panel {
	ok := graph.Series{Name: "ok", Role: graph.OK, Style: graph.Steps}
	failed := graph.Series{Name: "failed " + hostile, Role: graph.Failed, Style: graph.Steps}
	offered := graph.Series{Name: "offered", Role: graph.Offered, Style: graph.Edge}
	for s := range 60 {
		at := float64(s)
		rate := 1000 + 200*math.Sin(at/5)
		if s == 20 || s == 21 {
			rate = math.NaN()
		}
		ok.X, ok.To, ok.Y = append(ok.X, at), append(ok.To, at+1), append(ok.Y, rate)
		failed.X, failed.To = append(failed.X, at), append(failed.To, at+1)
		failed.Y = append(failed.Y, float64(s%7)*10)
		offered.X, offered.Y = append(offered.X, at), append(offered.Y, 1200)
	}
	return graph.Panel{
		Name: "throughput", Title: "Throughput, req/s", Intro: "Each step is a second. " + hostile, X: minute(),
		Y: graph.Axis{Word: "req/s"}, Series: []graph.Series{ok, failed, offered},
		Bands: []graph.Band{
			{Role: graph.Failed, From: 20, To: 22, Name: "stalled"}, {Role: graph.Failed, From: 40, To: 40.01, Name: "stalled"},
		},
		Rules: []graph.Rule{
			{Role: graph.Met, At: 900, Name: "at least 900"}, {At: 30, Vertical: true, Name: "load doubled"},
		},
	}
}

func percentiles() graph.Panel {
	p := graph.Panel{
		Name: "response-time", Title: "Response time", Intro: "The bands are the 95% intervals.", X: minute(),
		Y:     graph.Axis{Name: "response time", Unit: graph.Nanoseconds, Scale: graph.Log},
		Rules: []graph.Rule{{Role: graph.Met, At: 20e6, Name: "p99 < 20 ms, met"}},
	}
	for i, role := range []graph.Role{graph.P50, graph.P90, graph.P99, graph.P999, graph.Most} {
		s := graph.Series{Name: string(role), Role: role}
		for at := range 60 {
			y := 1e6 * math.Pow(2.2, float64(i)) * (1 + 0.3*math.Sin(float64(at+i)/4))
			if at == 20 || at == 21 || (i == 3 && at%9 == 0) {
				y = math.NaN()
			}
			s.X, s.Y = append(s.X, float64(at)), append(s.Y, y)
			s.Low, s.High = append(s.Low, y*0.9), append(s.High, y*1.15)
		}
		if i > 2 {
			s.Low, s.High = nil, nil
		}
		p.Series = append(p.Series, s)
	}
	return p
}

func distribution() graph.Panel {
	p := graph.Panel{
		Name: "distribution", Title: "Distribution of response times",
		X: graph.Axis{Name: "share of operations that were as quick", Unit: graph.Quantile, Scale: graph.Tail},
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
	}
	for i, name := range []string{"run a", "run b"} {
		s := graph.Series{Name: name, Role: graph.Role(fmt.Sprint(i + 1))}
		for u := 0.0; u < 4.5; u += 0.1 {
			s.X, s.Y = append(s.X, 1-math.Pow(10, -u)), append(s.Y, 1e6*math.Exp(u*(1+0.2*float64(i))))
		}
		s.X, s.Y = append(s.X, 1), append(s.Y, 5e8)
		p.Series = append(p.Series, s)
	}
	return p
}

func heatMap(slices, rows int) graph.Panel {
	random := rand.New(rand.NewPCG(1, 2))
	h := &graph.Heat{Of: "operations"}
	for i := range slices + 1 {
		h.X = append(h.X, float64(i)*60/float64(slices))
	}
	for j := range rows + 1 {
		h.Y = append(h.Y, 1e5*math.Pow(10, 3*float64(j)/float64(rows)))
	}
	for i := range slices {
		counts := make([]int64, rows)
		for range 1000 {
			at := int(random.NormFloat64()*float64(rows)/9 + float64(rows)/3 + 3*math.Sin(float64(i)/9))
			if at >= 0 && at < rows {
				counts[at] += 7
			}
		}
		h.Counts = append(h.Counts, counts)
	}
	return graph.Panel{
		Name: "heat", Title: "Response times over time", X: minute(),
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}, Heat: h,
	}
}

// stacked has twelve causes, more than there are colours that everybody can tell apart.
func stacked(seconds int) graph.Panel {
	p := graph.Panel{Name: "failures", Title: "Failures by cause, 1/s", X: minute()}
	if seconds > 60 {
		p.X.To = float64(seconds)
	}
	for i := range 12 {
		s := graph.Series{Name: fmt.Sprintf("cause-%d", i+1), Role: graph.Role(fmt.Sprint(i + 1)), Style: graph.Bars}
		for at := range seconds {
			s.X, s.Y = append(s.X, float64(at)), append(s.Y, float64((at*(i+3))%11))
		}
		p.Series = append(p.Series, s)
	}
	return p
}

func probes() graph.Panel {
	dots := graph.Series{Name: "probes", Role: graph.Met, Style: graph.Dots}
	fitted := graph.Series{Name: "fitted", Role: graph.Fitted}
	for i := 1; i <= 7; i++ {
		x := math.Pow(2, float64(i))
		for k := range 2 {
			y := x * 100 / (1 + 0.02*x) * (1 + 0.1*float64(k))
			dots.X, dots.Y = append(dots.X, x), append(dots.Y, y)
			dots.Low, dots.High = append(dots.Low, y*0.93), append(dots.High, y*1.07)
			dots.Texts = append(dots.Texts, fmt.Sprintf("probe %d met the SLO %s", 2*i+k, hostile))
		}
		fitted.X, fitted.Y = append(fitted.X, x), append(fitted.Y, x*100/(1+0.02*x))
	}
	return graph.Panel{
		Name: "scaling", Title: "Throughput by clients", X: graph.Axis{Name: "clients", Scale: graph.Log, Ticks: []graph.Tick{
			{At: 2, Name: "2"}, {At: 8, Name: "8"}, {At: 32, Name: "32 = the cores"}, {At: 128, Name: "128"},
		}},
		Y: graph.Axis{Name: "throughput", Unit: graph.Bytes, Word: "per second"}, Series: []graph.Series{dots, fitted},
		Rules: []graph.Rule{{At: 48, Vertical: true, Name: "knee"}},
	}
}

func waterfall() graph.Panel {
	p := graph.Panel{Name: "waterfall", Title: "Stages of the slowest updates", X: graph.Axis{Name: "since it was sent", Unit: graph.Nanoseconds}}
	for i := range 12 {
		row, at := fmt.Sprintf("update %d of client %d", i, i*7), 0.0
		if i == 3 {
			row = hostile
		}
		for k, part := range []string{"wait", "send", "server", "receive"} {
			length := float64((i+2)*(k+1)) * 3e5
			p.Spans = append(p.Spans, graph.Span{
				Row: row, Part: part, Role: graph.Role(fmt.Sprint(k + 1)), From: at, To: at + length, Text: "of " + part,
			})
			at += length
		}
	}
	return p
}

func shares() graph.Panel {
	area := graph.Series{Name: "busy", Role: graph.Own, Style: graph.Area}
	bars := graph.Series{Name: "with interval", Role: "2", Style: graph.Bars, X: graph.Values{10, 30}, To: graph.Values{20, 40},
		Y: graph.Values{0.4, 0.6}, Low: graph.Values{0.3, 0.5}, High: graph.Values{0.5, 0.75}}
	for at := range 61 {
		area.X, area.Y = append(area.X, float64(at)), append(area.Y, 0.2+0.1*math.Sin(float64(at)/8))
	}
	return graph.Panel{
		Name: "shares", Title: "Share of the processor", X: minute(), Y: graph.Axis{Unit: graph.Share, To: 1},
		Series: []graph.Series{area, bars},
	}
}

// largeFixture is as a run of 10 minutes: 600 points in all panels of time, 12 causes, a heat map of 600 × 60.
func largeFixture() Content {
	random := rand.New(rand.NewPCG(3, 4))
	over := graph.Axis{Name: "time since the start of the window", Unit: graph.Seconds, To: 600}
	line := func(name string, role graph.Role, style graph.Style, scale float64) graph.Series {
		s := graph.Series{Name: name, Role: role, Style: style}
		for at := range 600 {
			s.X, s.To = append(s.X, float64(at)), append(s.To, float64(at+1))
			s.Y = append(s.Y, math.Round(scale*(1+0.2*random.NormFloat64())))
		}
		if style != graph.Steps && style != graph.Bars {
			s.To = nil
		}
		return s
	}
	heat := heatMap(600, 60)
	for i := range heat.Heat.X {
		heat.Heat.X[i] *= 10
	}
	for _, row := range heat.Heat.Counts {
		for j := range row {
			row[j] = int64(float64(row[j]) * 7 * (1 + 0.1*random.NormFloat64()))
		}
	}
	heat.X = over
	panels := []graph.Panel{
		{Name: "throughput", Title: "Throughput, req/s", X: over, Y: graph.Axis{Word: "req/s"}, Series: []graph.Series{
			line("ok", graph.OK, graph.Steps, 50_000), line("failed", graph.Failed, graph.Steps, 100),
		}},
		{Name: "response-time", Title: "Response time", X: over, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
			Series: []graph.Series{
				line("p50", graph.P50, graph.Line, 4e5), line("p90", graph.P90, graph.Line, 9e5),
				line("p99", graph.P99, graph.Line, 3e6), line("p99.9", graph.P999, graph.Line, 1e7),
				line("max", graph.Most, graph.Line, 5e7),
			}},
		heat, distribution(), stacked(600),
		{Name: "own-delay", Title: "Generator delay", X: over, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
			Series: []graph.Series{line("p99", graph.Own, graph.Line, 2e5), line("most", graph.Most, graph.Line, 8e5)}},
	}
	ledger := graph.Panel{Name: "ledger", Title: "Time breakdown", X: over, Y: graph.Axis{Unit: graph.Share, To: 8}}
	for i := range 8 {
		s := line(fmt.Sprintf("state-%d", i), graph.Role(fmt.Sprint(i+1)), graph.Bars, 1000)
		for k := range s.Y {
			s.Y[k] = math.Abs(s.Y[k]) / 1000
		}
		ledger.Series = append(ledger.Series, s)
	}
	panels = append(panels, ledger, waterfall())
	document := make([]byte, 0, 200_000)
	for i := range 600 {
		document = fmt.Appendf(document, "{\"second\": %d, \"ok\": %d, \"p50_ns\": %d, \"p99_ns\": %d, \"hdr\": \"%x\"},\n",
			i, random.IntN(60_000), random.IntN(1e6), random.IntN(1e7), random.Uint64())
	}
	return Content{
		Model:     Model{Title: "10 minutes, 30 million operations", Facts: fixture().Facts, Panels: panels},
		Documents: []Document{{Name: "run.json", Schema: "plimsoll.run/v1", Text: document}},
	}
}

// closedModel is a document whose response times, service times and first attempts are the same.
func closedModel() []byte {
	random := rand.New(rand.NewPCG(5, 6))
	letters := func() []byte {
		text := make([]byte, 20_000)
		for i := range text {
			text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random.IntN(64)]
		}
		return text
	}
	raw, free := letters(), letters()
	return fmt.Appendf(nil, "{\"a\": \"ü </script>\", \"response_time\": {\"hdr\": \"%s\", \"free\": \"%s\"},\n"+
		"\"service_time\": {\"hdr\": \"%[1]s\", \"free\": \"%[2]s\"}, \"first\": \"%[1]s\"}\n", raw, free)
}
