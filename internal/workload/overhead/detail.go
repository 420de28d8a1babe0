package overhead

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/rundoc"
)

// sdkModule is the SDK that is measured.
const sdkModule = "github.com/aws/aws-sdk-go-v2"

// detail is what only an overhead run has to tell.
func (r *oneRun) detail(t *run.Target) *rundoc.OverheadDetail {
	p, result := &r.c.Plan, &r.result
	d := &rundoc.OverheadDetail{
		Mode: rundoc.OverheadSDK, Notes: slices.Concat(r.remote.Notes, result.Notes),
		Environment: rundoc.OverheadEnvironment{
			SDK: versionOf(sdkModule, "aws-sdk-go-v2"), Endpoint: r.address(t), Embedded: t.Embedded,
			LatencyNS: int64(p.Latency), Protocol: result.Protocol, TLS: r.secure(t), Concurrency: p.Concurrency,
			WarmupNS: int64(p.Warmup), TimeNS: int64(p.Time), Calls: p.Calls,
		},
	}
	for i := range result.Rows {
		row := &result.Rows[i]
		d.Rows = append(d.Rows, *rowOf(row, result.Idling))
		if row.Resent > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("%d calls of %s/%s are excluded: their requests were resent on another "+
				"connection.", row.Resent, row.Service, row.Operation))
		}
		if row.Unseen > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("%d calls of %s/%s are excluded: their requests could not be observed.",
				row.Unseen, row.Service, row.Operation))
		}
	}
	d.Unmeasured = unmeasured(p.Operations, d.Rows)
	if result.Null != nil {
		d.Null = rowOf(result.Null, result.Idling)
		d.Null.Operation = strings.Replace(d.Null.Operation, "/", " ", 1)
	}
	for _, s := range services.Catalog() {
		if !chosen(p.Operations, s.Name) {
			continue
		}
		if m := versionOf(s.Module, s.Module); !slices.Contains(d.Environment.Modules, m) {
			d.Environment.Modules = append(d.Environment.Modules, m)
		}
		if s.Note != "" {
			d.Notes = append(d.Notes, s.Note)
		}
	}
	if p.HTTP2 && result.Protocol != "" && result.Protocol != "HTTP/2.0" {
		d.Notes = append(d.Notes, "HTTP/2 was requested, but the server used "+result.Protocol+".")
	}
	for _, left := range result.Left {
		d.Notes = append(d.Notes, "Could not be removed: "+left+".")
	}
	return d
}

// unmeasured are the operations of a plan without a row.
func unmeasured(operations []string, rows []rundoc.OverheadRow) (missing []string) {
	for _, o := range operations {
		service, operation, _ := strings.Cut(o, "/")
		found := func(r rundoc.OverheadRow) bool { return r.Service == service && r.Operation == operation }
		if !slices.ContainsFunc(rows, found) {
			missing = append(missing, service+" "+operation)
		}
	}
	return missing
}

// versionOf is a module under a name, with its version.
func versionOf(path, name string) string {
	versioned := run.WithVersion(path)
	return name + versioned[len(path):]
}

// secure reports whether there was TLS.
func (r *oneRun) secure(t *run.Target) bool {
	return r.c.Plan.Real() || len(t.URL) >= 6 && t.URL[:6] == "https:"
}

// rowOf is the row of an operation, of a process that uses so many CPUs while it does nothing.
func rowOf(r *Row, idling float64) *rundoc.OverheadRow {
	row := &rundoc.OverheadRow{
		Service: r.Service, Operation: r.Operation, Failed: r.Failed,
		ClientTime: sampleOf(r.Client), Call: withoutValues(sampleOf(r.Call)),
		Overhead: sampleOf(r.Overhead), SDKTime: sampleOf(r.SDKTime),
		Unseen: r.Unseen, Resent: r.Resent, Connections: r.Connections,
		AllocationsPerCall: r.Allocations, BytesPerCall: r.AllocatedBytes, CPUPerCallNS: r.cpuPerCall(idling),
	}
	if r.Timed == 0 {
		return row
	}
	row.StagedCalls, row.StagedCallNS = r.Timed, float64(r.TimedCall)/float64(r.Timed)
	mean := func(s Stage) float64 { return float64(r.Stages[s]) / float64(r.Timed) }
	row.Stages = map[string]float64{
		rundoc.StageSerialize:   mean(Serialize),
		rundoc.StageEndpoint:    mean(Endpoint),
		rundoc.StageCredentials: mean(Credentials),
		rundoc.StageSign:        mean(Sign),
		rundoc.StageHTTP:        mean(HTTP),
		rundoc.StageWait:        mean(Wait),
		rundoc.StageDeserialize: mean(Deserialize),
		rundoc.StageOther:       mean(Other),
	}
	return row
}

// withoutValues is a sample that nothing is held against by its single values, which are most of a document.
func withoutValues(s rundoc.Sample) rundoc.Sample {
	s.Values, s.Rounds = nil, nil
	return s
}

func sampleOf(s *Series) rundoc.Sample {
	p := s.Percentiles(0.5, 0.9, 0.99)
	values, rounds := s.Spread(rundoc.MaxValues)
	of := rundoc.Sample{
		N: s.N, MinNS: float64(s.Min), AvgNS: s.Mean(), MedNS: p[0], P90NS: p[1], P99NS: p[2], MaxNS: float64(s.Max),
		Values: values, Rounds: rounds,
	}
	of.LeaveOut()
	return of
}
