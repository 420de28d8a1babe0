package updates

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/rundoc"
)

const samplesHeader = "timestamp,operation,responseMs,serviceMs,status\n"

// sampleRow writes a row: the actual start in UTC, the operation, the response and the
// service time in ms, and "ok" or why not.
func sampleRow(row []byte, s *record.Sample) []byte {
	row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
	row = append(row, ",publish,"...)
	row = strconv.AppendFloat(row, float64(s.End-s.Intended)/1e6, 'f', 3, 64)
	row = append(row, ',')
	row = strconv.AppendFloat(row, float64(s.End-s.Start)/1e6, 'f', 3, 64)
	row = append(row, ',')
	row = append(row, run.Status(s)...)
	return append(row, '\n')
}

// serverStages are the stages that the server times, in the order of a batch's way.
func serverStages() []string {
	return []string{
		rundoc.StageTransit, rundoc.StageReceiveIdle, rundoc.StageReceiveBusy, rundoc.StageReading, rundoc.StageQueued,
		rundoc.StageApply, rundoc.StageProcessing, rundoc.StageAcknowledge, rundoc.StageE2ESent,
		rundoc.StageE2EScheduled, rundoc.StageE2EBroker,
	}
}

// addTimes adds what the server timed. The window lies between two times of the publisher's clock.
func (s *kvServer) addTimes(d *rundoc.UpdatesDetail, found *kvapi.Run, from, to int64) {
	t := found.Times
	if t == nil {
		return
	}
	for _, name := range serverStages() {
		if stage, ok := t.Stages[name]; ok {
			d.Stages = append(d.Stages, rundoc.NamedStage{Name: name, UpdateStage: stage})
		}
	}
	d.NoClock, d.Receives, d.Messages = t.NoClock, t.Receives, t.Messages
	var applied int64
	for _, second := range t.Series {
		applied += second.Applied
		// The server counts them from when its first batch was due, which is the window's start but
		// for what random arrivals or a lost first batch make of it.
		start := second.StartNS - s.offset.OffsetNS - from
		d.Series = append(d.Series, rundoc.UpdateSecond{
			Second:  int64(math.Round(float64(start) / 1e9)),
			Batches: second.Batches, Applied: second.Applied, Stale: second.Stale, E2EP50NS: second.E2EP50NS,
			E2EP99NS: second.E2EP99NS, E2EMaxNS: second.E2EMaxNS,
		})
	}
	if length := time.Duration(to - from); length > 0 {
		d.AppliedPerS = float64(applied) / length.Seconds()
	}
}

// describe adds to the document and its detail what took part in the run.
func (r *oneRun) describe(doc *rundoc.Run) {
	total, _ := doc.Totals() // its counts are right even with an error, which Judge will tell
	r.describeServer(doc, &total)
	publish := rundoc.NamedStage{Name: rundoc.StagePublish, UpdateStage: rundoc.UpdateStage{Summary: total.ServiceTime}}
	r.detail.Stages = slices.Insert(r.detail.Stages, 0, publish)
	// A stage that cannot be read breaks a law of its own, and there is no account then.
	r.detail.Due, _ = rundoc.NewDueBatches(total.Scheduled, int64(r.plan.Within),
		r.detail.Stage(rundoc.StageE2EScheduled), r.fates)
	for i := range r.detail.Servers {
		one := r.detail.Alone(i)
		r.detail.Servers[i].Due, _ = rundoc.NewDueBatches(total.Scheduled, int64(r.plan.Within),
			one.Stage(rundoc.StageE2EScheduled), r.servers[i].fates)
	}
	doc.Target.URL = topics.Redact(r.topicURL())
	if r.plan.EmbeddedBroker() {
		// What the broker was started with is no choice of the user's.
		doc.Target.URL, _, _ = strings.Cut(doc.Target.URL, "?")
	}
}

// topicURL is where the run published.
func (r *oneRun) topicURL() string {
	if r.server == nil {
		return r.plan.URL
	}
	address, err := r.server.topicURL(&r.plan)
	if err != nil {
		return r.server.info.Topic // cannot be: the run published there
	}
	return address
}

// describeServer adds what took part in the run.
func (r *oneRun) describeServer(doc *rundoc.Run, total *rundoc.Operation) {
	about, d := r.topic.Describe(), &r.detail
	d.Transport, d.Client, d.AtLeastOnce = about.Transport, about.Client, about.AtLeastOnce
	d.Batch, d.Publishers = r.plan.Batch, doc.Ledger.Clients
	if total.OK > 0 {
		d.MessageSize = total.Bytes / total.OK
	}
	d.Failures = r.work.failures.list()
	d.Notes = append(d.Notes, about.Notes...)
	for _, one := range r.servers {
		for _, note := range one.info.Notes {
			if !slices.Contains(d.Notes, note) {
				d.Notes = append(d.Notes, note)
			}
		}
	}
}

// describe adds what the server is, and what only the end of the wait for it showed.
func (s *kvServer) describe(d *rundoc.UpdatesDetail, window time.Duration) {
	if s.backlog > 0 && window > 0 {
		d.AppliedPerS *= float64(window) / float64(window+s.backlog)
	}
	d.BacklogNS = int64(s.backlog)
	if d.Proof.Restarted {
		d.AppliedPerS = 0
	}
	d.Server, d.Listeners, d.Receive = redact.URL(s.URL), s.info.Listeners, s.info.Batch
	d.Clock = rundoc.UpdateClock{
		Shared: s.offset.Shared, OffsetNS: s.offset.OffsetNS, BoundNS: s.offset.BoundNS, DriftNS: s.drift,
	}
}
