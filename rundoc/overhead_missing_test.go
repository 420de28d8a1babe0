package rundoc_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What was asked for and is not there is said, however good the rest is.
func TestJudgeReportsUnmeasuredOperations(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*rundoc.Run, *rundoc.OverheadDetail)
		says string
	}{
		{"all there", func(*rundoc.Run, *rundoc.OverheadDetail) {}, ""},
		{"one is not", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Unmeasured = []string{"S3 PutObject"} },
			"Not measured: S3 PutObject."},
		{"interrupted before one", func(r *rundoc.Run, d *rundoc.OverheadDetail) {
			r.Interrupted, d.Unmeasured = true, []string{"S3 PutObject", "STS AssumeRole"}
		}, "Not measured, because the run was interrupted: S3 PutObject, STS AssumeRole."},
		{"aborted before one", func(r *rundoc.Run, d *rundoc.OverheadDetail) {
			r.Aborted, d.Unmeasured = "failed<1%", []string{"S3 PutObject"}
		}, "Not measured, because a threshold ended the run: S3 PutObject."},
		{"nine values", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead.N,
				d.Rows[0].SDKTime.N = 9, 9
		},
			"Fewer than 10 attempts succeeded, too few for a median: S3 HeadObject (9). Measure longer (--duration)."},
		{"ten values", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead.N, d.Rows[0].SDKTime.N = 10,
				10
		}, ""},
		{"one in a hundred failed", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Rows[1].Overhead.N, d.Rows[1].SDKTime.N, d.Rows[1].Failed = 990, 990, 10
		}, ""},
		{"more failed", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Rows[1].Failed = 248 },
			"Failed attempts are excluded (limit 1%): SNS Publish (20%). Fix the causes of the errors."},
		{"failed alone, which is said elsewhere", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Rows[1] = rundoc.OverheadRow{Service: "SNS", Operation: "Publish", Failed: 248}
		}, "No attempt of SNS Publish succeeded, so its row is empty. Check the causes of the errors."},
	} {
		d := soundOverhead()
		run := overheadRun(t, d)
		tt.edit(run, d)
		run.Detail = overheadRun(t, d).Detail
		got := rundoc.Judge(run)
		want := rundoc.Valid
		if tt.says != "" {
			want = rundoc.Suspect
		}
		if text := strings.Join(got.Reasons, "\n"); got.Validity != want || text != tt.says {
			t.Errorf("%s: %s: %q", tt.name, got.Validity, text)
		}
	}
}

// Of a window of a few of the kernel's ticks it is not known how busy the machine was, and advice is
// for the run that there was.
func TestJudgeOverheadIgnoresBusyShareOfShortWindows(t *testing.T) {
	for _, tt := range []struct {
		name    string
		window  int64
		clients int
		says    string
	}{
		{"too short", 499_999_999, 1, ""},
		{"one client", 500_000_000, 1, "Measure on an idle machine."},
		{"two clients", rundoc.MinMachineWindowNS, 2, "Measure on an idle machine, or with fewer clients (--clients)."},
	} {
		run := overheadRun(t, soundOverhead())
		run.Generator.MachineShare, run.Target.SameHost = 1, true
		run.Ledger = rundoc.Ledger{Clients: tt.clients, WindowNS: tt.window,
			States: map[string]int64{rundoc.StateAwaiting: int64(tt.clients) * tt.window}}
		run.Phases, run.Series, run.Little = nil, nil, rundoc.Little{}
		text := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if tt.says == "" && strings.Contains(text, "busy") || tt.says != "" && !strings.HasSuffix(text, tt.says) {
			t.Errorf("%s: %q", tt.name, text)
		}
		told := false
		for _, w := range rundoc.Warnings(run) {
			told = told || w.Code == rundoc.WarnBusyUnknown
		}
		if told != (tt.says == "") {
			t.Errorf("%s: told %v that it is not known", tt.name, told)
		}
	}
}
