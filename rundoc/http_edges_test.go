package rundoc

import (
	"math"
	"testing"
)

func TestEdgesOfHTTP(t *testing.T) {
	type D = *HTTPDetail
	// of is a run with two requests that ended ok.
	of := func(edits ...func(D)) Run {
		d := &HTTPDetail{Statuses: []HTTPStatus{{100, 1}, {999, 1}}}
		for _, edit := range edits {
			edit(d)
		}
		return Run{Detail: d, Operations: []Operation{{OK: 2}}}
	}
	file := func(f HTTPBodyFile) Run { return of(func(d D) { d.BodyFiles = []HTTPBodyFile{f} }) }
	const status, negative, reading = "answers have the status", "http: a count is negative", "http: reading x took"
	hold(t, func(j *judgement) { j.run.HTTP().laws(j) }, []edge{
		{"no detail", Run{}, ""},
		{"sound", of(), ""},
		{"a low status", of(func(d D) { d.Statuses[0].Status = 99 }), "1 " + status + " 99"},
		{"a high status", of(func(d D) { d.Statuses[1].Status = 1000 }), "1 " + status + " 1000"},
		{"no answer of a status", of(func(d D) { d.Statuses = append(d.Statuses, HTTPStatus{200, 0}) }), "0 " + status + " 200"},
		{"another answer", of(func(d D) { d.Statuses[0].Count = 2 }), ""},
		{"fewer answers", of(func(d D) { d.Statuses = d.Statuses[:1] }), "2 requests ended ok, and 0 answers failed a check, but 1 answers"},
		{"one that failed a check", of(func(d D) { d.Statuses[0].Count, d.Failures = 2, []HTTPCheck{{Count: 1}} }), ""},
		{"one of the ok failed a check", of(func(d D) { d.Failures = []HTTPCheck{{Count: 1}} }), "and 1 answers failed a check, but 2"},
		{"a check that none failed", of(func(d D) { d.Failures = []HTTPCheck{{}} }), "0 answers failed a check"},
		{"one left out", of(func(d D) { d.LeftOut = []HTTPLeftOut{{"x", 1}} }), ""},
		{"none left out", of(func(d D) { d.LeftOut = []HTTPLeftOut{{"x", 0}} }), "0 were left out (x)"},
		{"redirects below none", of(func(d D) { d.Redirects = -1 }), negative},
		{"a spread below none", of(func(d D) { d.SpreadNS = -1 }), negative},
		{"rates of uploads", of(func(d D) { d.Upload = &HTTPBodies{Bodies: 1} }), "of 1 bodies of the upload 0 have a quality"},
		{"rates of downloads", of(func(d D) { d.Download = &HTTPBodies{Bodies: 1} }), "of 1 bodies of the download 0"},
		{"connections without a time", of(func(d D) { d.Connecting = new(HTTPConnecting) }), "connections were made without a time"},

		{"a file that was not read", file(HTTPBodyFile{Name: "x"}), ""},
		{"a file that was read once", file(HTTPBodyFile{Name: "x", ReadNS: 5, LongestReadNS: 5}), ""},
		{"a file whose longest read is longer", file(HTTPBodyFile{Name: "x", ReadNS: 5, LongestReadNS: 6}), reading + " 5 ns, and the longest of it 6"},
		{"a file of fewer than no bytes", file(HTTPBodyFile{Name: "x", SizeBytes: -1}), reading},
	})
	if d := new(HTTPDetail); (&Run{Detail: d}).HTTP() != d || !d.alike() {
		t.Error("a run over HTTP is one, and its requests are alike")
	}
	if WorkloadHTTP != "http" { // it stands in documents that others read
		t.Errorf("the workload is %q", WorkloadHTTP)
	}
}

func TestEdgesOfHTTPConnecting(t *testing.T) {
	type C = *HTTPConnecting
	// of is a run with two connections, each of which took 1 ms.
	of := func(edits ...func(C)) Run {
		tcp := same(1_000_000, 2)
		c := &HTTPConnecting{TCP: &tcp, Addresses: []HTTPAddress{{Connections: 1}}, MoreAddresses: 1}
		for _, edit := range edits {
			edit(c)
		}
		return Run{Detail: &HTTPDetail{Connecting: c}, Connections: Connections{Opened: 2, ConnectTime: Summary{Count: 2, MeanNS: 1_000_000}}}
	}
	tls := func(ns int64) func(C) {
		return func(c C) {
			s := same(ns, 1)
			c.TLS = &s
		}
	}
	opened := func(n int64, edits ...func(C)) Run {
		run := of(edits...)
		run.Connections.Opened = n
		return run
	}
	long := of(func(c C) { *c.TCP = edited(same(1<<40, 2), func(s *Summary) { s.MeanNS = 1 << 40 }) })
	long.Connections.ConnectTime.MeanNS = 1<<40 - 1<<20
	longer := of(func(c C) { *c.TCP = same(1<<40, 2) })
	longer.Connections.ConnectTime.MeanNS = 1<<40 - 1<<22
	odd := same(1, 2)
	const took = "the stages of connecting took longer than connecting"
	hold(t, func(j *judgement) { j.run.HTTP().Connecting.laws(j) }, []edge{
		{"no connection", Run{Detail: new(HTTPDetail)}, ""},
		{"sound", of(), ""},
		{"without TCP", of(func(c C) { c.TCP = nil }), "connections were made without a time"},
		{"a stage that took what is left", of(tls(8)), ""},
		{"a stage that took longer", of(tls(12)), took},
		{"a stage that took twice as long", of(tls(1_000_000)), took},
		{"a millionth longer", long, ""},
		{"more than a millionth longer", longer, took},
		{"a stage out of order", of(func(c C) { c.Proxy = new(edited(odd, func(s *Summary) { s.MeanNS = 0 })) }),
			"http: the way through a proxy"},
		{"more names looked up", of(func(c C) { c.Lookup = new(same(1, 3)) }), "2 connections were opened, and 3 have a time of the lookup"},
		{"one opened without stages", opened(3), "3 connections were opened, and 2 have stages"},
		{"one that leads nowhere", of(func(c C) { c.MoreAddresses = 0 }), "2 connections were made, and 1 lead somewhere"},
	})
}

func TestEdgesOfHTTPBodies(t *testing.T) {
	type B = *HTTPBodies
	// of has the rates of three bodies, of which two are known.
	of := func(edits ...func(B)) Run {
		b := &HTTPBodies{Bodies: 3, Rated: 2, Qualities: map[string]int64{"ok": 1, "paced": 1, "unseen": 1}, Limits: map[string]int64{"network": 3},
			BytesPerS: 1500, MinBytesPerS: 1000, MaxBytesPerS: 2000}
		for _, edit := range edits {
			edit(b)
		}
		return Run{Detail: &HTTPDetail{Upload: b}}
	}
	part := func(bodies, rated int64) HTTPBodies {
		return HTTPBodies{Bodies: bodies, Rated: rated, Qualities: map[string]int64{"ok": rated, "unseen": bodies - rated}}
	}
	parts := func(list ...HTTPBodies) Run { return of(func(b B) { b.ByRequest = list }) }
	percentiles := func(p10, p50, p90 *float64) Run {
		return of(func(b B) { b.P10BytesPerS, b.P50BytesPerS, b.P90BytesPerS = p10, p50, p90 })
	}
	const order, mean, quality = "the rates of the upload are in no order", "the mean rate of the upload is", "of 3 bodies of the upload"
	hold(t, func(j *judgement) { j.run.HTTP().Upload.laws(j, "upload") }, []edge{
		{"none", Run{Detail: new(HTTPDetail)}, ""},
		{"sound", of(), ""},
		{"empty", of(func(b B) { *b = HTTPBodies{} }), ""},
		{"in order", percentiles(new(1000.0), new(1500.0), new(2000.0)), ""},
		{"p10 too low", percentiles(new(999.0), nil, nil), order},
		{"p50 below p10", percentiles(new(1200.0), new(1199.0), nil), order},
		{"p90 below p10", percentiles(new(1200.0), nil, new(1199.0)), order},
		{"p90 too high", percentiles(nil, nil, new(2001.0)), order},
		{"a mean that is rounded down", of(func(b B) { b.BytesPerS = 999.1 }), ""},
		{"a mean that is too low", of(func(b B) { b.BytesPerS = 998.9 }), mean + " 999, of rates from 1000 to 2000"},
		{"a mean that is rounded up", of(func(b B) { b.BytesPerS = 2001.8 }), ""},
		{"a mean that is too high", of(func(b B) { b.BytesPerS = 2002.2 }), mean},
		{"a rate without end", of(func(b B) { b.MaxBytesPerS = math.Inf(1) }), mean},
		{"a rate below none", of(func(b B) { b.MinBytesPerS = -1 }), mean},

		{"a quality below none", of(func(b B) { b.Qualities["aborted"], b.Qualities["unseen"] = -1, 2 }), "-1 bodies of the upload are aborted"},
		{"a quality of none", of(func(b B) { b.Qualities["aborted"] = 0 }), ""},
		{"a body without a quality", of(func(b B) { b.Qualities["unseen"] = 0 }), quality + " 2 have a quality, and 2 a rate"},
		{"more rated", of(func(b B) { b.Rated = 3 }), quality + " 3 have a quality, and 3 a rate"},
		{"fewer paced", of(func(b B) { b.Qualities["paced"], b.Qualities["unseen"] = 0, 2 }), quality + " 3 have a quality, and 2"},
		{"fewer limits", of(func(b B) { b.Limits["network"] = 2 }), ""},
		{"more limits", of(func(b B) { b.Limits["network"] = 4 }), "3 bodies of the upload were measured, and 4"},

		{"of two requests", parts(part(1, 1), part(2, 1)), ""},
		{"of one", parts(part(3, 2)), ""},
		{"of one with fewer", parts(part(2, 2)), "the requests have 2 bodies of the upload, 2 of them with a rate; all of them together 3 and 2"},
		{"of one with fewer rated", parts(part(3, 1)), "the requests have 3 bodies of the upload, 1"},
		{"of one that makes no sense", parts(part(3, 2), HTTPBodies{MinBytesPerS: -1}), mean},
	})
}

func TestEdgesOfHTTPFiles(t *testing.T) {
	read := func(ns int64) *HTTPDetail {
		return &HTTPDetail{BodyFiles: []HTTPBodyFile{{ReadNS: ns - 1}, {ReadNS: 1}}}
	}
	total := Operation{ServiceTime: Summary{Count: 10, MeanNS: 100}}
	for _, tt := range []struct {
		name  string
		d     *HTTPDetail
		total Operation
		want  float64
	}{
		{"no detail", nil, total, 0}, {"no file", new(HTTPDetail), total, 0}, {"a tenth", read(100), total, 0.1}, {"more than all", read(2000), total, 1},
		{"of nothing", read(100), Operation{}, 0},
	} {
		if got := tt.d.readShare(&tt.total); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	const advice = "they may be too long by so much. Use a faster disk, or files that fit into this machine's memory."
	for ns, want := range map[int64]string{50: "", 51: WarnOwnTime + " The clients waited for the files that they sent in 5.1 % of the " +
		"requests' time, which is in the response times: " + advice, 200: WarnOwnTime, 201: ""} {
		d := read(ns)
		run := Run{Detail: d}
		holdWarning(t, want, warned(&run, &total, d.warnOfFiles), want)
	}
	slow := func(ns int64) Run {
		return Run{Detail: read(ns), Operations: []Operation{{ServiceTime: same(100, 10)}}}
	}
	hold(t, func(j *judgement) { j.run.HTTP().slowFiles(j) }, []edge{
		{"a fifth", slow(200), ""},
		{"more than a fifth", slow(201), "in 20.1 % of the requests' time (more than 20 %): the times are the disk's, not the server's. Use"},
	})

	left := func(n int) *HTTPDetail {
		return &HTTPDetail{LeftOut: []HTTPLeftOut{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"f", 6}, {"g", 7}}[:n]}
	}
	const out = WarnLeftOut + " Not all that was recorded was sent. Left out: "
	for _, tt := range []struct {
		name string
		d    *HTTPDetail
		want string
	}{
		{"nothing", new(HTTPDetail), ""}, {"one left out", left(1), out + "1 a."}, {"five left out", left(5), out + "1 a, 2 b, 3 c, 4 d, 5 e."},
		{"seven left out", left(7), out + "1 a, 2 b, 3 c, 4 d, 5 e, 2 others."},
		{"spread", &HTTPDetail{SpreadNS: 1}, WarnSpread + " The times of the log are whole multiples of 1.00 ns"},
		{"samples lost", &HTTPDetail{Samples: &SamplesFile{Lost: 1}}, WarnSamplesLost},
	} {
		run := Run{Detail: tt.d}
		holdWarning(t, tt.name, warned(&run, new(Operation), tt.d.warn), tt.want)
	}
	var none *HTTPDetail
	holdWarning(t, "no detail", warned(new(Run), new(Operation), none.warn), "")
}
