package bandwidth

import (
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a bandwidth run has to tell.
func (r *oneRun) detail(doc *rundoc.Run) *rundoc.BandwidthDetail {
	p, result := &r.c.Plan, r.work.Result()
	d := &rundoc.BandwidthDetail{
		SizeBytes: p.Size, BlockBytes: p.Block, Streams: p.Streams, Iterations: result.Iterations,
		Store:    r.storeUsed(result.Notes),
		Checksum: r.checksum(&result),
	}
	if d.Objects = r.found; d.Objects != nil {
		d.SizeBytes = r.found.ReadSizes.Max
	}
	window := windowStart(doc)
	d.Flow = flowOf(r.course, window)
	if p.Only != OnlyDownload {
		d.Upload = figuresOf(&result.Upload, doc, rundoc.OperationCreate, rundoc.OperationUploadBlock,
			rundoc.OperationCloseUpload)
		if c := r.course; c != nil {
			d.Upload.Standstill = standstill(c.Unsent, c.Origin, window, result.Upload.Iterations)
		}
	}
	if p.Only != OnlyUpload {
		d.Download = figuresOf(&result.Download, doc, rundoc.OperationOpen, rundoc.OperationDownloadBlock,
			rundoc.OperationCloseDownload)
		d.Download.FirstBlockNS = int64(result.Download.FirstBlock)
		d.Download.Reopened, d.Download.ReopenCauses = reopenings(r.requests.Reopenings())
		if c := r.course; c != nil {
			d.Download.Standstill = standstill(c.Unheard, c.Origin, window, result.Download.Iterations)
		}
	}
	figures := r.requests.Figures()
	if r.course != nil {
		d.Slow = slowRequests(figures, r.course.Origin.Sub(window))
	}
	for _, f := range figures {
		d.Requests = append(d.Requests, requestFigures(&f))
	}
	for _, path := range result.Left {
		d.Left = append(d.Left, r.place.shown(path))
	}
	d.Limits = limitsOf(d, &result, r.policy)
	return d
}

// storeUsed tells which store was used, and how.
func (r *oneRun) storeUsed(notes []string) rundoc.StoreUsed {
	p, about := &r.c.Plan, r.place.store.Describe()
	u := rundoc.StoreUsed{
		Client: run.WithVersion(about.Client), Endpoint: redact.URL(about.Endpoint),
		PartBytes: about.PartBytes, ActiveParts: about.ActiveParts, AtOnce: about.AtOnce,
		Integrity: about.Integrity,
		Data:      p.Data, LimitBytesPerS: p.StoreLimit, Notes: slices.Concat(r.notes, about.Notes, notes),
	}
	if p.Only != OnlyUpload {
		u.Policy = string(r.policy)
	}
	for _, s := range r.place.settings.Applied() {
		if s.Source != ofEmbedded {
			u.Settings = append(u.Settings, rundoc.Setting{Name: s.Key, Value: s.Value, Source: s.Source})
		}
	}
	u.Settings = append(u.Settings, tokenSettings(r.place.tokens, p.TokenFile)...)
	u.Ignored = r.place.settings.Ignored()
	return u
}

// tokenSettings lists what a credentials file holds, without what is secret.
func tokenSettings(t *hadoop.Tokens, file string) (list []rundoc.Setting) {
	if t == nil {
		return nil
	}
	for _, token := range t.Tokens {
		list = append(list, rundoc.Setting{
			Name: "token " + token.Alias, Value: token.Kind + " for " + token.Service + " (secret)", Source: file,
		})
	}
	for _, alias := range t.Secrets {
		list = append(list, rundoc.Setting{Name: "secret " + alias, Value: "(secret)", Source: file})
	}
	return list
}

func (r *oneRun) checksum(result *Result) rundoc.Checksum {
	c := rundoc.Checksum{
		Algorithm: r.c.Plan.Checksum, Verdict: rundoc.ChecksumNone,
		Bytes: result.Check.Bytes, Mismatch: r.mismatch(result),
		WrongBytes: result.Check.Wrong, WrongBlocks: result.Check.WrongBlocks, WrongFiles: result.Check.WrongFiles,
	}
	for _, s := range result.Check.Where {
		c.Wrong = append(c.Wrong, rundoc.ByteRange{First: s.First, Last: s.Last})
	}
	switch {
	case c.Mismatch != "":
		c.Verdict = rundoc.ChecksumMismatch
	case c.Bytes > 0:
		c.Verdict = rundoc.ChecksumOK
	}
	return c
}

// mismatch says what was wrong of what was read, and of which of several files.
func (r *oneRun) mismatch(result *Result) string {
	file := ""
	if p := &r.c.Plan; p.Streams > 1 && p.Only != OnlyDownload {
		file = r.place.shown(result.Check.File)
	}
	return result.Check.Mismatch(r.c.Plan.Block, file)
}

// figuresOf gathers the figures of the uploads or downloads. The times of their operations
// are those of the document.
func figuresOf(t *Transfer, doc *rundoc.Run, open, block, end string) *rundoc.Transfer {
	f := &rundoc.Transfer{
		Files: t.Files, Failed: t.Failed, Bytes: t.Bytes, DurationNS: int64(t.Duration), DataNS: int64(t.DataTime),
		TakenNS: int64(t.Taken),
		Open:    timeOf(doc, open), Block: timeOf(doc, block), Close: timeOf(doc, end),
	}
	switch s := t.Steady; {
	case s != nil:
		f.Steady = &rundoc.SteadyPart{FromNS: int64(s.From), DurationNS: int64(s.Duration), Bytes: s.Bytes}
		f.BytesPerS = float64(s.Bytes) / s.Duration.Seconds()
	case t.Files > 0 && t.Duration > 0:
		f.BytesPerS = float64(t.Bytes) / t.Duration.Seconds()
	}
	if t.StreamTime > 0 {
		f.CloseShare = min(1, float64(t.CloseTime)/float64(t.StreamTime))
	}
	if f.Block.Count > 0 {
		f.BlockWithCloseNS = int64(t.BlockTime+t.CloseTime) / f.Block.Count
	}
	for _, i := range t.Iterations {
		from := int64(i.From)
		f.Iterations = append(f.Iterations,
			rundoc.IterationFigure{Bytes: i.Bytes, DurationNS: int64(i.Duration), FromNS: &from})
	}
	for second, bytes := range t.Course {
		if bytes > 0 {
			f.Course = append(f.Course, rundoc.CoursePoint{Second: int64(second), Client: bytes})
		}
	}
	return f
}

// timeOf is the time of an operation, without the histogram that its entry in the document
// has.
func timeOf(doc *rundoc.Run, name string) rundoc.Summary {
	for _, o := range doc.Operations {
		if o.Name == name {
			return o.ServiceTime.WithoutHistogram()
		}
	}
	return rundoc.Summary{}
}

// reopenings are how often files were opened again while they were read, and why.
func reopenings(counts map[string]int64) (all int64, causes []rundoc.Cause) {
	for _, cause := range slices.Sorted(maps.Keys(counts)) {
		all += counts[cause]
		causes = append(causes, rundoc.Cause{Cause: cause, Count: counts[cause]})
	}
	return all, causes
}

func requestFigures(f *store.Figures) rundoc.RequestFigures {
	r := rundoc.RequestFigures{
		Name: f.Name, Attempts: f.Attempts, Failed: f.Failed,
		BytesSent: f.Sent, BytesReceived: f.Received, Connections: f.Opened,
		SetupNS: int64(f.Setup), SendNS: int64(f.Send), WaitNS: int64(f.Wait), ReceiveNS: int64(f.Receive),
		TotalNS: int64(f.Total), SlowestNS: int64(f.Slowest), PausedNS: int64(f.Paused),
		Handoff: bodyRate(f.Handoff), Delivered: bodyRate(f.Delivered), Read: bodyRate(f.Read),
	}
	for _, cause := range slices.Sorted(maps.Keys(f.Retries)) {
		r.Retries += f.Retries[cause]
		r.Causes = append(r.Causes, rundoc.Cause{Cause: cause, Count: f.Retries[cause]})
	}
	if f.Times[store.StageWhole].Histogram != nil {
		r.Stages = &rundoc.RequestStages{
			Setup: stageTimes(f, store.StageSetup), Send: stageTimes(f, store.StageSend), Wait: stageTimes(f, store.StageWait),
			Receive: stageTimes(f, store.StageReceive), Whole: stageTimes(f, store.StageWhole),
		}
	}
	for quality, n := range f.Qualities {
		if r.Qualities == nil {
			r.Qualities = map[string]int64{}
		}
		r.Qualities[string(quality)] = n
	}
	for limit, n := range f.Limits {
		if r.Limits == nil {
			r.Limits = map[string]int64{}
		}
		r.Limits[string(limit)] = n
	}
	return r
}

// stageTimes are the times of a stage, without their histogram.
func stageTimes(f *store.Figures, stage store.Stage) rundoc.Summary {
	t := &f.Times[stage]
	return rundoc.Summarize(t.Histogram, rundoc.Exact{Min: int64(t.Min), Max: int64(t.Max), Sum: int64(t.Sum)}).
		WithoutHistogram()
}

func bodyRate(r store.Rate) *rundoc.BodyRate {
	perSecond, ok := r.PerSecond()
	if !ok {
		return nil
	}
	return &rundoc.BodyRate{Attempts: r.Attempts, BytesPerS: perSecond}
}
