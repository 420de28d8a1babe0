package exec

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const title = header + "\n"

func TestRead(t *testing.T) {
	// The second line came in first; the last one was cut off while it was written.
	got, err := Read(strings.NewReader(title +
		"DynamoDB,PutItem,2,300,350,350,read,200,70,HTTP/1.1,curl/8.1 on a line,write,0,0,,,0\r\n" +
		"S3,HeadObject,1,100,390,390,kernel,404,60,HTTP/2.0,,kernel,77,9,5,4,0\n" +
		",,1,200,250,250,kernel,400,5,,,write,0,0,,,0\n" +
		"S3,HeadObject,1,400,4"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Trace{Cut: true, Exchanges: []Exchange{
		{Service: "S3", Operation: "HeadObject", Conn: 1, Received: 100, Answering: 390, Sent: 390, Kernel: true,
			Status: 404, Bytes: 60, Protocol: "HTTP/2.0", SentKernel: true, Process: 77, Age: 9, Waited: 5, Busiest: 4, Timed: true},
		{Conn: 1, Received: 200, Answering: 250, Sent: 250, Kernel: true, Status: 400, Bytes: 5},
		{Service: "DynamoDB", Operation: "PutItem", Conn: 2, Received: 300, Answering: 350, Sent: 350, Status: 200,
			Bytes: 70, Protocol: "HTTP/1.1", Agent: "curl/8.1 on a line"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, name := range []string{"S3/HeadObject", "(unknown operation)", "DynamoDB/PutItem"} {
		if got := got.Exchanges[i].Name(); got != name {
			t.Errorf("%q, want %q", got, name)
		}
	}
}

func TestReadRejectsBadTraces(t *testing.T) {
	line := func(s string) string { return title + "S3,HeadObject,1,1,2,2,read,200,1,,,write,0,0,,,0\n" + s + "\n" }
	var many strings.Builder
	many.WriteString(title)
	for i := range maxNames {
		many.WriteString("S" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ",O" + strings.Repeat("y", i/200) +
			strings.Repeat("z", i%200) + ",1,1,2,2,read,200,1,,,write,0,0,,,0\n")
	}
	for name, test := range map[string]struct{ text, want string }{
		"nothing":              {"", "no header line"},
		"half a title":         {"service,oper", "no header line"},
		"other columns":        {"a,b\n", "the columns of the trace"},
		"too few columns":      {line("S3,HeadObject,1"), "line 3 of the trace: it does not have 17 columns"},
		"too many":             {line("S3,HeadObject,1,1,2,2,read,200,1,,,write,0,0,,,9,9"), "17 columns"},
		"a word for a number":  {line("S3,HeadObject,1,one,2,2,read,200,1,,,write,0,0,,,0"), `"one" is not a valid number for column 4`},
		"a negative time":      {line("S3,HeadObject,1,-1,2,2,read,200,1,,,write,0,0,,,0"), "column 4"},
		"a time past all":      {line("S3,HeadObject,1,1,2,9223372036854775807,read,200,1,,,write,0,0,,,0"), "column 6"},
		"a status of nobody":   {line("S3,HeadObject,1,1,2,2,read,2000,1,,,write,0,0,,,0"), "column 8"},
		"another stamp":        {line("S3,HeadObject,1,1,2,2,guess,200,1,,,write,0,0,,,0"), `"guess" is not a known timestamp source`},
		"sent by nobody":       {line("S3,HeadObject,1,1,2,2,read,200,1,,,read,0,0,,,0"), `"read" is not a known timestamp source`},
		"a process below 0":    {line("S3,HeadObject,1,1,2,2,read,200,1,,,write,-1,0,,,0"), "column 13"},
		"no number of CPU":     {line("S3,HeadObject,1,1,2,2,read,200,1,,,write,1,0,5,5,x"), "column 17"},
		"one waits for more":   {line("S3,HeadObject,1,1,2,2,read,200,1,,,write,1,0,5,6,0"), "column 16"},
		"answered before that": {line("S3,HeadObject,1,5,4,9,read,200,1,,,write,0,0,,,0"), "before the request arrived"},
		"begun after its end":  {line("S3,HeadObject,1,5,10,9,read,200,1,,,write,0,0,,,0"), "before the request arrived"},
		"answered too early":   {line("S3,HeadObject,1,5,2,2,read,200,1,,,write,0,0,,,0"), "before the request arrived"},
		"a line without end":   {line(strings.Repeat("x", maxLine)), "longer than"},
		"an empty line":        {line(""), "17 columns"},
		"names without number": {many.String(), "too many services and operations"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if _, err := Read(iotest.ErrReader(errors.New("disk on fire"))); err == nil ||
		!strings.Contains(err.Error(), "disk on fire") {
		t.Error(err)
	}
}

func TestReadIsBounded(t *testing.T) {
	text := title + strings.Repeat("S3,HeadObject,1,1,2,2,read,200,1,,,write,0,0,,,0\n", 5)
	got, err := read(strings.NewReader(text), 3)
	if err != nil || len(got.Exchanges) != 3 || !got.Cut {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := read(strings.NewReader(text), 5); err != nil || len(got.Exchanges) != 5 || got.Cut {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever is read, each time between two exchanges is in one place, and the figures rise.
func FuzzTrace(f *testing.F) {
	f.Add([]byte(title + "S3,HeadObject,1,100,150,150,kernel,200,60,,,write,0,0,,,0\nS3,HeadObject,1,200,250,250,read,200,60,,,write,0,0,,,0\n" +
		"S3,HeadObject,2,300,350,350,kernel,500,60,,,write,0,0,,,0\n"))
	f.Add([]byte(title + ",,1,0,4611686018427387904,4611686018427387904,read,999,0,,,write,0,0,,,0\nS3,x,1,1,1,1,read,100,0,,,0"))
	f.Add([]byte(title + "S3,A,1,1,9,9,read,200,0,,,write,0,0,,,0\nS3,A,1,2,9,9,read,200,0,,,write,0,0,,,0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Read(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(trace.Exchanges, func(a, b Exchange) int { return compare(a.Received, b.Received) }) {
			t.Fatal("not in order")
		}
		for _, o := range []Options{{}, {Warmup: 100}, {Warmup: 1 << 60, Share: 0.2}} {
			r, err := Measure(trace.Exchanges, o)
			if err != nil {
				if _, overlap := errors.AsType[*Overlap](err); !overlap || err.Error() == "" {
					t.Fatal(err)
				}
				return
			}
			gaps := r.Mixed + r.Failed + r.Early + r.Late + r.Beside
			calls := r.Unknown
			for _, op := range r.Operations {
				calls += op.Calls
				gaps += op.Warm + int64(len(op.Kept)+len(op.New))
				row, ok := op.Row(NewNull(r))
				s := row.SDKTime
				rising := []float64{s.MinNS, s.MedNS}
				for _, percentile := range []float64{s.P90NS, s.P99NS} {
					if percentile != 0 { // of too few values there is none
						rising = append(rising, percentile)
					}
				}
				if ok && !slices.IsSorted(append(rising, s.MaxNS)) || row.ErrorNS < 0 {
					t.Fatalf("%+v", row)
				}
			}
			for _, p := range r.Pairs {
				gaps += p.Warm + int64(len(p.Kept)+len(p.New))
				if _, ok := p.Row(NewNull(r)); ok && p.Calls < leastPairs {
					t.Fatalf("%+v", p)
				}
			}
			n := int64(len(trace.Exchanges))
			if calls != n || gaps != max(0, n-1) || r.Served < 0 || r.Served > r.End-r.Start {
				t.Fatalf("%d exchanges, %d calls, %d gaps, served %d of %d", n, calls, gaps, r.Served, r.End-r.Start)
			}
		}
	})
}

var approximate = cmpopts.EquateApprox(1e-9, 0)
