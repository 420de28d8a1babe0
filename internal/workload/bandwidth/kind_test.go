package bandwidth

import (
	"bytes"
	"errors"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/store"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestParsePlace(t *testing.T) {
	dir, here := t.TempDir(), t.TempDir()
	t.Chdir(here)
	settings := &hadoop.Settings{}
	settings.Set("fs.defaultFS", "hdfs://namenode:8020", "core-site.xml")
	for _, test := range []struct {
		raw, want string
		own       bool
		settings  *hadoop.Settings
	}{
		{"s3://bucket/key", "s3://bucket/key", false, nil},
		{"s3a://bucket", "s3a://bucket/plimsoll-ID", true, nil},
		{"s3a://bucket/dir/", "s3a://bucket/dir/plimsoll-ID", true, nil},
		{"mem:", "mem:///plimsoll-ID", true, nil},
		{"file:" + dir, "file://" + dir + "/plimsoll-ID", true, nil},
		{"file:" + dir + "/x", "file://" + dir + "/x", false, nil},
		{"file:" + dir + "/none/", "file://" + dir + "/none/plimsoll-ID", true, nil},
		{"file:none/", "file://" + here + "/none/plimsoll-ID", true, nil},
		{"file:none", "file://" + here + "/none", false, nil},
		{"file:./~/", "file://" + here + "/~/plimsoll-ID", true, nil},
		{"/tmp/x", "hdfs://namenode:8020/tmp/x", false, settings},
		{"tmp/x", "hdfs://namenode:8020/tmp/x", false, settings},
		{"abfs://box@account.dfs.core.windows.net/x", "abfs://box@account.dfs.core.windows.net/x", false, nil},
	} {
		p := place{settings: test.settings}
		u, err := p.parse(test.raw, "ID")
		if err != nil {
			t.Errorf("%s: %v", test.raw, err)
			continue
		}
		if got := u.Scheme + "://" + hostOf(u) + u.Path; got != test.want || p.own != test.own {
			t.Errorf("%s is %s, own %v; want %s, own %v", test.raw, got, p.own, test.want, test.own)
		}
	}
	for raw, want := range map[string]string{
		"/tmp/x":                  "no scheme",
		"file:~/":                 "does not expand ~",
		"file:~":                  "does not expand ~",
		"s3:bucket/key":           "// is missing",
		"http://me:pass@h:port/x": "not a valid file URL",
		"sftp://me:pass@[::1/x":   "not a valid file URL",
	} {
		p := place{}
		_, err := p.parse(raw, "ID")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

func TestOwnNameInAnEscapedDirectory(t *testing.T) {
	p := place{}
	u, err := p.parse("http://host.invalid/a%2Fb/", "ID")
	if err != nil || u.EscapedPath() != "/a%2Fb/plimsoll-ID" || !p.own {
		t.Errorf("%v, %v", u, err)
	}
}

// TestShownPlace keeps what names the place, and nothing that opens it.
func TestShownPlace(t *testing.T) {
	for raw, want := range map[string]string{
		"abfs://box:hidden@account.invalid/x": "abfs://box@account.invalid/x",
		"wasbs://box@account.invalid/x":       "wasbs://box@account.invalid/x",
		"sftp://me:hidden@host.invalid/x":     "sftp://host.invalid/x",
		"http://host.invalid/x?sig=hidden":    "http://host.invalid/x?sig=…",
		"http://host.invalid/a%2Fb%20c":       "http://host.invalid/a%2Fb%20c",
		"s3://bucket/q?v=1#frag%20+%zz":       "s3://bucket/q?v=1#frag%20+%zz",
		"sftp://host.invalid/a%20b":           "sftp://host.invalid/a%20b",
		"http://host.invalid/a%2Fb":           "http://host.invalid/a%2Fb",
	} {
		p := place{}
		u, err := p.parse(raw, "ID")
		if err != nil {
			t.Fatal(err)
		}
		p.url = u
		p.driver, _ = stores.Drivers().Find(u.Scheme)
		if got := p.shown(p.driver.PathOf(u)); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
		if got := shownURL(raw); got != want {
			t.Errorf("%s is shown in the plan as %s, want %s", raw, got, want)
		}
	}
}

func hostOf(u *url.URL) string {
	if u.User != nil {
		return u.User.String() + "@" + u.Host
	}
	return u.Host
}

// requestsOf are those of an upload in parts and of a download: of 100 s of parts on their
// way, so many were spent in each stage.
func requestsOf(setup, send, wait time.Duration) []rundoc.RequestFigures {
	return []rundoc.RequestFigures{
		{Name: "CompleteMultipartUpload", Attempts: 1, BytesSent: 5000, BytesReceived: 300, WaitNS: 1e12,
			TotalNS: 1e12},
		{Name: "UploadPart", Attempts: 10, BytesSent: 80 << 20, SetupNS: int64(setup), SendNS: int64(send),
			WaitNS: int64(wait), TotalNS: int64(100 * time.Second)},
	}
}

// slowedDown adds retries after the store asked to slow down, with so much time in pauses.
func slowedDown(requests []rundoc.RequestFigures, paused time.Duration) []rundoc.RequestFigures {
	part := &requests[len(requests)-1]
	part.PausedNS, part.Causes = int64(paused), []rundoc.Cause{{Cause: "slow-down", Count: 9}}
	return requests
}

func TestLimitsOfUpload(t *testing.T) {
	second := time.Second
	for _, test := range []struct {
		name     string
		requests []rundoc.RequestFigures
		data     time.Duration
		active   int
		length   time.Duration
		want     map[string]float64
		advice   string
		size     int64 // 0 for many parts
	}{
		{"the network", requestsOf(0, 90*second, 10*second), 0, 8, 50 * second,
			map[string]float64{"network": 0.9, "store": 0.1}, "the network", 0},
		{"late answers with all places taken", requestsOf(0, 10*second, 90*second), 0, 2, 50 * second,
			map[string]float64{"store": 0.9, "network": 0.1}, "--active-blocks 4", 0},
		{"late answers with places left", requestsOf(0, 10*second, 90*second), 0, 8, 50 * second,
			map[string]float64{"store": 0.9, "network": 0.1}, "--part-size 16MiB", 0},
		{"late answers with all places of a setting taken", requestsOf(0, 10*second, 90*second), 0, -2, 50 * second,
			map[string]float64{"store": 0.9, "network": 0.1}, "a setting such as fs.s3a.threads.max", 0},
		{"the generator", requestsOf(0, 80*second, 20*second), 40 * second, 8, 50 * second,
			map[string]float64{"generation": 0.8, "network": 0.16}, "this machine", 0},
		{"connections", requestsOf(95*second, 2*second, 3*second), 0, 8, 50 * second,
			map[string]float64{"connections": 0.95}, "TLS", 0},
		{"a store without requests", nil, 0, 0, 50 * second, map[string]float64{"store": 1}, "store client", 0},
		{"a late answer to the only part", requestsOf(0, 10*second, 90*second), 0, 8, 50 * second,
			map[string]float64{"store": 0.9, "network": 0.1}, "--streams", 8 << 20},
		{"late answers to parts that are all on their way", requestsOf(0, 10*second, 90*second), 0, 8, 50 * second,
			map[string]float64{"store": 0.9, "network": 0.1}, "--streams", 64 << 20},
		{"pauses before the retries of refused requests", slowedDown(requestsOf(0, 90*second, 10*second), 300*second), 0, 8,
			50 * second, map[string]float64{"retries": 0.75, "network": 0.225}, "asked to slow down (9 retries)", 0},
		{"pauses between the requests", requestsOf(0, 90*second, 10*second), 0, 8, 400 * second,
			map[string]float64{"pauses": 0.75, "network": 0.225}, "creating and completing files", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.size == 0 {
				test.size = 800 << 20
			}
			d := &rundoc.BandwidthDetail{
				BlockBytes: 8 << 20, SizeBytes: test.size, Streams: 1, Upload: &rundoc.Transfer{},
				Requests: test.requests,
				Store:    rundoc.StoreUsed{ActiveParts: test.active, PartBytes: 8 << 20},
			}
			if test.active < 0 { // a bound of all streams
				d.Store.ActiveParts, d.Store.AtOnce = 8, -test.active
			}
			r := &Result{Upload: Transfer{Duration: test.length, StreamTime: test.length, DataTime: test.data}}
			got := map[string]float64{}
			list := limitsOf(d, r, WholeFile)
			for _, l := range list {
				got[l.What] = math.Round(1000*l.Share) / 1000
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if len(list) == 0 || !strings.Contains(list[0].Message, test.advice) {
				t.Errorf("%+v, want advice with %q first", list, test.advice)
			}
		})
	}
}

// fullDisk takes so many bytes.
type fullDisk struct {
	bytes.Buffer
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	n, _ := f.Buffer.Write(p[:min(len(p), f.room-f.Len())])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *fullDisk) Truncate(size int64) error {
	f.Buffer.Truncate(int(size))
	return nil
}

// TestRowsOnFullDiskAreWhole: what is in the file when the disk is full are whole rows, as many as are told.
func TestRowsOnFullDiskAreWhole(t *testing.T) {
	disk := &fullDisk{room: 300_000}
	told := 0
	r := &rows{queue: make(chan rundoc.Block, 20_000)}
	for range cap(r.queue) {
		r.add(Row{Operation: "upload-block", Bytes: 1234567})
	}
	r.writing.Go(func() { r.write(disk, report.RowColumns{}, func(error) { told++ }) })
	f, err := r.close("rows.csv")
	text := disk.String()
	if !errors.Is(err, syscall.ENOSPC) || told != 1 || f.Written == 0 || !strings.HasSuffix(text, "\n") ||
		int64(strings.Count(text, "\n")) != f.Written+1 || f.Written+f.Lost != int64(cap(r.queue)) {
		t.Errorf("%v, told %d times, %+v, %d lines, the end %q", err, told, f, strings.Count(text, "\n"), text[max(0, len(text)-9):])
	}
}

func TestKeptRowsAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	r, err := openRows(outfile.Files{}, path, report.RowColumns{Iteration: true}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range rundoc.MaxBlocks + 7 {
		r.add(Row{Operation: "upload-block", Bytes: int64(i), Iteration: 3})
	}
	f, err := r.close(path)
	if err != nil {
		t.Error(err)
	}
	if blocks, omitted := r.kept(); len(blocks) != rundoc.MaxBlocks || omitted != 7 {
		t.Errorf("%d blocks kept, %d omitted", len(blocks), omitted)
	}
	text, err := os.ReadFile(path)
	if lines := int64(strings.Count(string(text), "\n")); err != nil || lines != f.Written+1 ||
		f.Written+f.Lost != rundoc.MaxBlocks+7 {
		t.Errorf("%d lines, %+v, %v", lines, f, err)
	}
}

// TestSecretsStayInside looks for what is secret in everything that a run says.
func TestHadoopSecretsAreRedacted(t *testing.T) {
	tokens := &hadoop.Tokens{
		Tokens: []hadoop.Token{{Alias: "a", Kind: "K", Service: "s", Identifier: []byte("hidden"),
			Password: []byte("hidden")}},
		Secrets: []string{"alias"},
	}
	for _, s := range tokenSettings(tokens, "file") {
		if strings.Contains(s.Name+s.Value+s.Source, "hidden") || !strings.Contains(s.Value, "secret") {
			t.Errorf("%+v", s)
		}
	}
	if len(tokenSettings(nil, "")) != 0 || len(tokenSettings(tokens, "")) != 2 {
		t.Error("not all of the tokens are listed")
	}
}

// What is wrong in the URL is a wrong argument, before any server is asked.
func TestPlaceNeedsAName(t *testing.T) {
	for _, c := range []struct{ url, says, hint string }{
		{"s3://", "does not name a bucket", "s3://bucket/path"},
		{"s3:///k", "does not name a bucket", "s3://bucket/path"},
	} {
		command := &Command{Plan: DefaultPlan()}
		command.Plan.URL = c.url
		_, err := openPlace(t.Context(), &oneRun{c: command, id: "ID"}, &run.Target{})
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v with the hint %q", c.url, err, fault.HintOf(err))
		}
	}
}

// TestTransferMetrics: shares and means are of the streams' time, not of the transfer's.
func TestTransferMetrics(t *testing.T) {
	doc := &rundoc.Run{Operations: []rundoc.Operation{
		{Name: "upload-block", ServiceTime: rundoc.Summary{Count: 8, HDR: "x"}},
		{Name: "close-upload", ServiceTime: rundoc.Summary{Count: 2, MaxNS: 7}},
	}}
	f := figuresOf(&Transfer{
		Files: 2, Bytes: 4000, Duration: 20 * time.Second, StreamTime: 40 * time.Second, DataTime: 3 * time.Second,
		BlockTime: 24 * time.Second, CloseTime: 10 * time.Second,
		Iterations: []Iteration{{Bytes: 4000, Duration: 20 * time.Second, From: 3}}, Course: []int64{0, 5, 0, 7},
	}, doc, "create-file", "upload-block", "close-upload")
	want := &rundoc.Transfer{
		Files: 2, Bytes: 4000, DurationNS: 20e9, BytesPerS: 200, DataNS: 3e9, CloseShare: 0.25,
		BlockWithCloseNS: 34e9 / 8,
		Block:            rundoc.Summary{Count: 8}, Close: rundoc.Summary{Count: 2, MaxNS: 7},
		Iterations: []rundoc.IterationFigure{{Bytes: 4000, DurationNS: 20e9, FromNS: new(int64(3))}},
		Course:     []rundoc.CoursePoint{{Second: 1, Client: 5}, {Second: 3, Client: 7}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if f := figuresOf(&Transfer{Failed: 1, Duration: time.Second}, doc, "", "", ""); f.BytesPerS != 0 ||
		f.CloseShare != 0 {
		t.Errorf("nothing was transferred: %+v", f)
	}
}

// A range is a block: reading several ranges at the same time is no advice where a file is one of them.
func TestNoPrefetchAdviceForFilesOfOneBlock(t *testing.T) {
	for _, test := range []struct {
		size   int64
		policy Policy
		advice string
	}{
		{8<<20 + 1, WholeFile, "--policy prefetch"},
		{8<<20 + 1, Prefetch, ""},
		{8 << 20, WholeFile, "larger files, or several at the same time (--streams)"},
		{4 << 10, Random, "larger files, or several at the same time (--streams)"},
		{4 << 10, Prefetch, "larger files, or several at the same time (--streams)"},
	} {
		d := &rundoc.BandwidthDetail{SizeBytes: test.size, BlockBytes: 8 << 20, Download: &rundoc.Transfer{},
			Requests: []rundoc.RequestFigures{{Name: "GetObject", Attempts: 1, BytesReceived: test.size,
				ReceiveNS: int64(time.Second), WaitNS: int64(time.Second), TotalNS: int64(2 * time.Second)}}}
		list := downloadLimits(d, &Transfer{Duration: 2 * time.Second, StreamTime: 2 * time.Second}, test.policy)
		if len(list) != 2 {
			t.Fatalf("%+v", list)
		}
		for _, l := range list {
			prefetch := strings.Contains(l.Message, "--policy prefetch")
			if prefetch != (test.advice == "--policy prefetch") ||
				l.What == "store" && !strings.Contains(l.Message, test.advice) {
				t.Errorf("%d bytes, %s: %q, want %q", test.size, test.policy, l.Message, test.advice)
			}
		}
	}
}

func TestRetriesAreSummedOverCauses(t *testing.T) {
	r := requestFigures(&store.Figures{Name: "x", Attempts: 9, Retries: map[string]int64{"slow-down": 3, "reset": 2}})
	want := []rundoc.Cause{{Cause: "reset", Count: 2}, {Cause: "slow-down", Count: 3}}
	if diff := cmp.Diff(want, r.Causes); diff != "" || r.Retries != 5 {
		t.Errorf("%d retries, %s", r.Retries, diff)
	}
}
