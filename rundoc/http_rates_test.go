package rundoc_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// bodies are sound rates of one direction, of two requests.
func bodies() *rundoc.HTTPBodies {
	return &rundoc.HTTPBodies{
		Bodies: 300, Rated: 250, Qualities: map[string]int64{"ok": 200, "paced": 50, "below_resolution": 50},
		Limits: map[string]int64{"network": 290, "source": 10}, BytesPerS: 4e6, MinBytesPerS: 1e6, P10BytesPerS: new(2e6),
		P50BytesPerS: new(4e6), P90BytesPerS: new(6e6), MaxBytesPerS: 8e6,
		ByRequest: []rundoc.HTTPBodies{
			{Name: "store", Bodies: 200, Rated: 200, Qualities: map[string]int64{"ok": 150, "paced": 50}, BytesPerS: 5e6,
				MinBytesPerS: 2e6, MaxBytesPerS: 8e6},
			{Name: "note", Bodies: 100, Rated: 50, Qualities: map[string]int64{"ok": 50, "below_resolution": 50}, BytesPerS: 1e6,
				MinBytesPerS: 1e6, MaxBytesPerS: 1e6},
		},
	}
}

// The rates of bodies agree with themselves: the parts are the whole, the rates are in order, and the mean is among them.
func TestJudgeChecksHTTPRates(t *testing.T) {
	run := overHTTP(t)
	sound := run.HTTP()
	for name, c := range map[string]struct {
		edit func(b *rundoc.HTTPBodies)
		want string // "": it is sound
	}{
		"sound":                  {func(*rundoc.HTTPBodies) {}, ""},
		"of one request":         {func(b *rundoc.HTTPBodies) { b.ByRequest = nil }, ""},
		"a body of no quality":   {func(b *rundoc.HTTPBodies) { b.Qualities["below_resolution"]-- }, "of 300 bodies of the X 299 have a quality"},
		"more rated":             {func(b *rundoc.HTTPBodies) { b.Rated++ }, "and 251 a rate"},
		"fewer paced":            {func(b *rundoc.HTTPBodies) { b.Qualities["paced"]--; b.Qualities["sendfile"]++ }, "and 250 a rate"},
		"fewer ok":               {func(b *rundoc.HTTPBodies) { b.Qualities["ok"]--; b.Qualities["sendfile"]++ }, "and 250 a rate"},
		"a quality below none":   {func(b *rundoc.HTTPBodies) { b.Qualities["aborted"], b.Qualities["unseen"] = -1, 1 }, "-1 bodies"},
		"a quality of none":      {func(b *rundoc.HTTPBodies) { b.Qualities["aborted"] = 0 }, ""},
		"limits of all":          {func(b *rundoc.HTTPBodies) { b.Limits["network"] = 290 }, ""},
		"more limits than all":   {func(b *rundoc.HTTPBodies) { b.Limits["network"]++ }, "and 301 of them have a limit"},
		"a limit below none":     {func(b *rundoc.HTTPBodies) { b.Limits["reader"] = -1 }, "-1 bodies"},
		"p10 below the slowest":  {func(b *rundoc.HTTPBodies) { b.P10BytesPerS = new(1e6 - 1) }, "out of order"},
		"p10 as the slowest":     {func(b *rundoc.HTTPBodies) { b.P10BytesPerS = new(1e6) }, ""},
		"p50 below p10":          {func(b *rundoc.HTTPBodies) { b.P50BytesPerS = new(2e6 - 1) }, "out of order"},
		"p90 below p50":          {func(b *rundoc.HTTPBodies) { b.P90BytesPerS = new(4e6 - 1) }, "out of order"},
		"p90 above the fastest":  {func(b *rundoc.HTTPBodies) { b.P90BytesPerS = new(8e6 + 1) }, "out of order"},
		"p90 below p10, no p50":  {func(b *rundoc.HTTPBodies) { b.P50BytesPerS, b.P90BytesPerS = nil, new(2e6-1) }, "out of order"},
		"too few for any":        {func(b *rundoc.HTTPBodies) { b.P10BytesPerS, b.P50BytesPerS, b.P90BytesPerS = nil, nil, nil }, ""},
		"the mean is too low":    {func(b *rundoc.HTTPBodies) { b.BytesPerS = 0.998e6 }, "mean rate of the X is 998000"},
		"a mean that is rounded": {func(b *rundoc.HTTPBodies) { b.BytesPerS = 0.9995e6 }, ""},
		"the mean is too high":   {func(b *rundoc.HTTPBodies) { b.BytesPerS = 8.02e6 }, "mean rate of the X is 8020000"},
		"one that is rounded up": {func(b *rundoc.HTTPBodies) { b.BytesPerS = 8.004e6 }, ""},
		"a mean that is none":    {func(b *rundoc.HTTPBodies) { b.BytesPerS = math.NaN() }, "mean rate"},
		"without an end":         {func(b *rundoc.HTTPBodies) { b.MaxBytesPerS = math.Inf(1) }, "mean rate"},
		"below none":             {func(b *rundoc.HTTPBodies) { b.MinBytesPerS = -1 }, "mean rate"},
		"the slowest took for ever": {func(b *rundoc.HTTPBodies) {
			b.MinBytesPerS = 0
		}, ""},
		"rates of no body": {func(b *rundoc.HTTPBodies) {
			*b = rundoc.HTTPBodies{Bodies: 2, Qualities: map[string]int64{"aborted": 2}, BytesPerS: 1}
		}, "mean rate of the X is 1"},
		"no rates": {func(b *rundoc.HTTPBodies) {
			*b = rundoc.HTTPBodies{Bodies: 2, Qualities: map[string]int64{"aborted": 2}}
		}, ""},
		"a request's law": {func(b *rundoc.HTTPBodies) { b.ByRequest[1].BytesPerS = 2e6 }, "mean rate of the X is 2000000"},
		"fewer bodies by request": {func(b *rundoc.HTTPBodies) {
			b.ByRequest[1].Bodies, b.ByRequest[1].Qualities["below_resolution"] = 99, 49
		}, "the requests have 299 bodies of the X, 250 of them with a rate; all of them together 300 and 250"},
		"fewer rated by request": {func(b *rundoc.HTTPBodies) {
			r := &b.ByRequest[1]
			r.Rated, r.Qualities["ok"], r.Qualities["below_resolution"] = 49, 49, 51
		}, "the requests have 300 bodies of the X, 249 of them with a rate; all of them together 300 and 250"},
	} {
		for _, direction := range []string{"upload", "download"} {
			d, b := *sound, bodies()
			run.Detail = &d
			c.edit(b)
			if direction == "upload" {
				d.Upload = b
			} else {
				d.Download = b
			}
			want := strings.ReplaceAll(c.want, "X", direction)
			reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
			if broken := strings.Contains(reasons, "invariant violated: http"); broken != (want != "") || !strings.Contains(reasons, want) {
				t.Errorf("%s: %q, want %q", name, reasons, want)
			}
		}
	}
}

// overHTTP is a sound run over HTTP, whose requests took 3 s in all.
func overHTTP(t *testing.T) *rundoc.Run {
	t.Helper()
	run := soundRun(t)
	for i := range run.Operations {
		o := &run.Operations[i]
		times := summaryOf(t, slices.Repeat([]int64{ms}, int(o.Scheduled-2))...)
		o.ServiceTime, o.FirstAttempt = times, times
	}
	total, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	run.Detail = &rundoc.HTTPDetail{Protocol: "HTTP/1.1", Statuses: []rundoc.HTTPStatus{{Status: 200, Count: total.OK}}}
	return run
}

func TestJudgeChecksHTTPBodyFiles(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(f *rundoc.HTTPBodyFile)
		broken bool
	}{
		"sound":             {func(*rundoc.HTTPBodyFile) {}, false},
		"read once":         {func(f *rundoc.HTTPBodyFile) { f.LongestReadNS = f.ReadNS }, false},
		"longer than all":   {func(f *rundoc.HTTPBodyFile) { f.LongestReadNS = f.ReadNS + 1 }, true},
		"no size":           {func(f *rundoc.HTTPBodyFile) { f.SizeBytes = -1 }, true},
		"never read":        {func(f *rundoc.HTTPBodyFile) { *f = rundoc.HTTPBodyFile{Name: "x"} }, false},
		"bytes below none":  {func(f *rundoc.HTTPBodyFile) { f.ReadBytes = -1 }, true},
		"time below none":   {func(f *rundoc.HTTPBodyFile) { f.ReadNS, f.LongestReadNS = -1, -1 }, true},
		"longest below one": {func(f *rundoc.HTTPBodyFile) { f.LongestReadNS = -1 }, true},
	} {
		run := overHTTP(t)
		f := rundoc.HTTPBodyFile{Name: "x", SizeBytes: 2, ReadBytes: 20, ReadNS: 10, LongestReadNS: 3}
		c.edit(&f)
		run.HTTP().BodyFiles = []rundoc.HTTPBodyFile{{Name: "y"}, f}
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if broken := strings.Contains(reasons, "invariant violated: http: reading x took"); broken != c.broken {
			t.Errorf("%s: %q", name, reasons)
		}
	}
}

// A disk that clients waited for in more than 5% of the requests' time is told, and in more than 20% doubted.
func TestJudgeReportsSlowBodyFiles(t *testing.T) {
	const warns, doubts = "which is part of the response times", "the times are the disk's, not the server's"
	whole := overHTTP(t)
	total, err := whole.Totals()
	if err != nil {
		t.Fatal(err)
	}
	all := total.ServiceTime.MeanNS * total.ServiceTime.Count
	if all%20 != 0 {
		t.Fatalf("a twentieth of %d is no whole number", all)
	}
	for name, c := range map[string]struct {
		read        []int64
		warn, doubt bool
		says        string
	}{
		"no file":            {nil, false, false, ""},
		"not read":           {[]int64{0}, false, false, ""},
		"5%":                 {[]int64{all / 20}, false, false, ""},
		"more than 5%":       {[]int64{all/20 + 1}, true, false, "took 5% of"},
		"20%":                {[]int64{all / 5}, true, false, "took 20% of"},
		"more than 20%":      {[]int64{all/5 + 1}, false, true, "took 20% of the requests' time (limit 20%)"},
		"two files together": {[]int64{all / 10, all / 5}, false, true, "took 30% of"},
		"more than all":      {[]int64{all, all}, false, true, "took 100% of"}, // requests that failed
	} {
		run := overHTTP(t)
		for _, ns := range c.read {
			run.HTTP().BodyFiles = append(run.HTTP().BodyFiles, rundoc.HTTPBodyFile{Name: "x", ReadNS: ns})
		}
		judged := rundoc.Judge(run)
		reasons, warnings := strings.Join(judged.Reasons, "\n"), ""
		for _, w := range rundoc.Warnings(run) {
			if strings.Contains(w.Message, "files to send") && w.Code != rundoc.WarnOwnTime {
				t.Errorf("%s: the code is %s", name, w.Code)
			}
			warnings += w.Message + "\n"
		}
		if strings.Contains(reasons, doubts) != c.doubt || strings.Contains(warnings, warns) != c.warn ||
			!strings.Contains(reasons+warnings, c.says) {
			t.Errorf("%s: %s; %s", name, reasons, warnings)
		}
		if c.doubt && judged.Validity == rundoc.Valid {
			t.Errorf("%s: %s", name, judged.Validity)
		}
	}
	whole.Operations = nil // nothing was measured: nothing is divided by 0
	whole.HTTP().BodyFiles = []rundoc.HTTPBodyFile{{Name: "x", ReadNS: 1}}
	if reasons := strings.Join(rundoc.Judge(whole).Reasons, "\n"); strings.Contains(reasons, doubts) {
		t.Error(reasons)
	}
}
