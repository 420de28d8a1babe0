package rundoc_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What a run over HTTP tells of its answers agrees with itself, and with what became of its requests.
func TestJudgeChecksHTTPAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(d *rundoc.HTTPDetail)
		want string // "": it is sound
	}{
		"sound":                 {func(*rundoc.HTTPDetail) {}, ""},
		"more answers than ok":  {func(d *rundoc.HTTPDetail) { d.Statuses[0].Count += 9 }, ""},
		"fewer answers than ok": {func(d *rundoc.HTTPDetail) { d.Statuses[0].Count -= 3 }, "requests ended ok and"},
		"a status of none":      {func(d *rundoc.HTTPDetail) { d.Statuses[1].Count = 0 }, "have the status 503"},
		"a status below 100":    {func(d *rundoc.HTTPDetail) { d.Statuses[1].Status = 99 }, "have the status 99"},
		"a status above 999":    {func(d *rundoc.HTTPDetail) { d.Statuses[1].Status = 1000 }, "have the status 1000"},
		"the least status":      {func(d *rundoc.HTTPDetail) { d.Statuses[1].Status = 100 }, ""},
		"the largest status":    {func(d *rundoc.HTTPDetail) { d.Statuses[1].Status = 999 }, ""},
		"bytes below none":      {func(d *rundoc.HTTPDetail) { d.SentBytes = -1 }, "a count is negative"},
		"received below none":   {func(d *rundoc.HTTPDetail) { d.ReceivedBytes = -1 }, "a count is negative"},
		"closed below none":     {func(d *rundoc.HTTPDetail) { d.Closed = -1 }, "a count is negative"},
		"churned below none":    {func(d *rundoc.HTTPDetail) { d.Churned = -1 }, "a count is negative"},
		"sent again below none": {func(d *rundoc.HTTPDetail) { d.Resent = -1 }, "a count is negative"},
		"redirects below none":  {func(d *rundoc.HTTPDetail) { d.Redirects = -1 }, "a count is negative"},
		"left out are none":     {func(d *rundoc.HTTPDetail) { d.LeftOut = []rundoc.HTTPLeftOut{{"x", 0}} }, "were left out"},
		"all failed checks":     {func(d *rundoc.HTTPDetail) { d.Failures = []rundoc.HTTPCheck{{Check: "x", Count: 2}} }, ""},
		"a check of no answer":  {func(d *rundoc.HTTPDetail) { d.Failures = []rundoc.HTTPCheck{{Check: "x", Count: 3}} }, "3 responses failed a check, but"},
		"a check below none":    {func(d *rundoc.HTTPDetail) { d.Failures = []rundoc.HTTPCheck{{Check: "x", Count: 0}} }, "0 responses failed a check"},
	} {
		run := soundRun(t)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		d := &rundoc.HTTPDetail{Protocol: "HTTP/1.1", SentBytes: 1, ReceivedBytes: 1,
			Statuses: []rundoc.HTTPStatus{{Status: 200, Count: total.OK}, {Status: 503, Count: 2}}}
		c.edit(d)
		run.Detail = d
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if broken := strings.Contains(reasons, "invariant violated: http"); broken != (c.want != "") || !strings.Contains(reasons, c.want) {
			t.Errorf("%s: %q, want %q", name, reasons, c.want)
		}
	}
}
