package rundoc

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The thresholds for bandwidth runs. Shares are of 1.
const (
	// MaxCloseNS is how long a close may take before it is told: an application that must give
	// signs of life meanwhile is taken for dead after a minute or so.
	MaxCloseNS = 60_000_000_000
	// MaxOwnTime is how much of a transfer's time the streams may wait for the instrument, to
	// make data or to check it, before it is told. From MaxOwnTimeBelieved on it is a reason of
	// the verdict.
	MaxOwnTime         = 0.05
	MaxOwnTimeBelieved = 0.2
	// maxIterations is how many iterations a transfer lists.
	maxIterations = 1000
)

// WorkloadBandwidth is the Workload of a run whose Detail is a BandwidthDetail.
const WorkloadBandwidth = "bandwidth"

// Bandwidth is the detail of a bandwidth run, or nil for another workload and where there is
// none that can be read.
func (r *Run) Bandwidth() *BandwidthDetail {
	d, _ := r.Detail.(*BandwidthDetail)
	return d
}

// NamedTransfer is one of the two transfers of a run, with its name.
type NamedTransfer struct {
	Name string // "upload" or "download"
	*Transfer
}

// Transfers are those of the upload and the download that there are, in this order.
func (d *BandwidthDetail) Transfers() []NamedTransfer {
	var list []NamedTransfer
	if d.Upload != nil {
		list = append(list, NamedTransfer{OperationUpload, d.Upload})
	}
	if d.Download != nil {
		list = append(list, NamedTransfer{OperationDownload, d.Download})
	}
	return list
}

// OwnShare is the share of the streams' time in a transfer that they waited for the
// instrument; 0 when the document does not say.
func (d *BandwidthDetail) OwnShare(t *Transfer) float64 {
	all := float64(t.DurationNS) * float64(max(1, d.Streams))
	if all <= 0 {
		return 0
	}
	return float64(t.DataNS) / all
}

func (d *BandwidthDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	for _, t := range d.Transfers() {
		if min(t.Files, t.Failed, t.Bytes, t.DurationNS, t.DataNS, t.TakenNS, t.Block.Count, t.Reopened) < 0 {
			j.broken("bandwidth: the %s has a negative value", t.Name)
		}
		t.reopenLaw(j)
		t.rateLaws(j)
		// A close may end a moment after the last stamp of its transfer.
		if !(t.CloseShare >= 0 && t.CloseShare <= 1+LedgerTolerance) {
			j.broken("bandwidth: close has %.4g of the streams' time in the %s", t.CloseShare, t.Name)
		}
		// These need no histogram: the document's operations have them.
		j.inOrder("block's time of the "+t.Name, &t.Block)
		j.inOrder("opening's time of the "+t.Name, &t.Open)
		j.inOrder("close's time of the "+t.Name, &t.Close)
		d.blockCount(j, t)
		t.iterationLaws(j)
	}
	d.Checksum.checksumLaw(j)
	d.Objects.objectsLaw(j)
	d.timesTwice(j)
	d.stageLaws(j)
	d.flowLaws(j)
}

// stageLaws checks that the stages of requests are those of the same attempts, and no more of them than there were.
func (d *BandwidthDetail) stageLaws(j *judgement) {
	for i := range d.Requests {
		r := &d.Requests[i]
		if r.Stages == nil {
			continue
		}
		whole := &r.Stages.Whole
		if whole.Count > r.Attempts {
			j.broken("bandwidth: %d attempts of %s have times, and there were %d", whole.Count, r.Name, r.Attempts)
		}
		for _, s := range []struct {
			name string
			of   *Summary
		}{
			{"setup", &r.Stages.Setup}, {"sending", &r.Stages.Send}, {"wait", &r.Stages.Wait},
			{"receiving", &r.Stages.Receive}, {"whole time", whole},
		} {
			j.inOrder(s.name+" of "+r.Name, s.of)
			if s.of.Count != whole.Count || s.of.MaxNS > whole.MaxNS {
				j.broken("bandwidth: the %s of %s is not of the same attempts as the whole", s.name, r.Name)
			}
		}
	}
}

// counted are the bytes and the time that a transfer's rate is of.
func (t *Transfer) counted() (bytes, ns int64) {
	if t.Steady != nil {
		return t.Steady.Bytes, t.Steady.DurationNS
	}
	return t.Bytes, t.DurationNS
}

// rateLaws checks a transfer's rate, and that its steady part is a part of it.
func (t *NamedTransfer) rateLaws(j *judgement) {
	bytes, ns := t.counted()
	rate := 0.0
	if t.Files > 0 && ns > 0 {
		rate = float64(bytes) / seconds(ns)
	}
	if !(math.Abs(t.BytesPerS-rate) <= 1e-6*rate) {
		j.broken("bandwidth: the %s has %.7g B/s, but %d bytes ÷ %s are %.7g", t.Name, t.BytesPerS, bytes,
			units.Duration(ns), rate)
	}
	s := t.Steady
	if s == nil {
		return
	}
	if min(s.FromNS, s.DurationNS, s.Bytes) < 0 || s.Bytes > t.Bytes || s.FromNS > t.DurationNS-s.DurationNS {
		j.broken("bandwidth: the steady part of the %s has %d bytes in %s, %s after its start, and all of it %d in %s",
			t.Name, s.Bytes, units.Duration(s.DurationNS), units.Duration(s.FromNS), t.Bytes, units.Duration(t.DurationNS))
	}
}

// reopenLaw checks that whatever was opened again has a cause.
func (t *NamedTransfer) reopenLaw(j *judgement) {
	var caused int64
	for _, c := range t.ReopenCauses {
		caused += c.Count
	}
	if caused != t.Reopened {
		j.broken("bandwidth: files of the %s were reopened %d times, but their causes count %d", t.Name, t.Reopened,
			caused)
	}
}

// checksumLaw checks what was wrong of what was read.
func (c *Checksum) checksumLaw(j *judgement) {
	if min(c.WrongFiles, c.WrongBlocks-c.WrongFiles, c.WrongBytes-c.WrongBlocks, c.Bytes-c.WrongBytes) < 0 {
		j.broken("bandwidth: %d bytes were wrong in %d blocks of %d files, of %d bytes that were compared", c.WrongBytes,
			c.WrongBlocks, c.WrongFiles, c.Bytes)
	}
}

// objectsLaw checks what was found against what was chosen of it.
func (o *ObjectsFound) objectsLaw(j *judgement) {
	if o != nil && min(o.Read, o.Empty, o.Listed-o.Empty-o.Read, o.ReadBytes, o.ListedBytes-o.ReadBytes) < 0 {
		j.broken("bandwidth: %d files of %d bytes were chosen of %d with %d bytes, %d of them empty", o.Read, o.ReadBytes,
			o.Listed, o.ListedBytes, o.Empty)
	}
}

// iterationLaws checks that a transfer is the sum of its iterations, unless there are more than are listed.
func (t *NamedTransfer) iterationLaws(j *judgement) {
	if len(t.Iterations) == 0 || len(t.Iterations) >= maxIterations {
		return
	}
	var bytes, ns float64 // of any document: these do not overflow
	for _, i := range t.Iterations {
		bytes, ns = bytes+float64(i.Bytes), ns+float64(i.DurationNS)
	}
	if bytes != float64(t.Bytes) || ns != float64(t.DurationNS) {
		j.broken("bandwidth: the iterations of the %s have %.0f bytes in %s, and all of it %d in %s",
			t.Name, bytes, units.Duration(int64(ns)), t.Bytes, units.Duration(t.DurationNS))
	}
}

// timesTwice checks that the times of the transfers are those of the operations that they are of.
func (d *BandwidthDetail) timesTwice(j *judgement) {
	times := map[string]*Summary{}
	if t := d.Upload; t != nil {
		times[OperationCreate], times[OperationUploadBlock], times[OperationCloseUpload] = &t.Open, &t.Block, &t.Close
	}
	if t := d.Download; t != nil {
		times[OperationOpen], times[OperationDownloadBlock], times[OperationCloseDownload] = &t.Open, &t.Block, &t.Close
	}
	for i := range j.run.Operations {
		o := &j.run.Operations[i]
		if s := times[o.Name]; s != nil && !s.same(&o.ServiceTime) {
			j.broken("bandwidth: the time of %s is not the one of the operation", o.Name)
		}
	}
}

// blockCount compares a transfer's blocks with those that the engine recorded.
func (d *BandwidthDetail) blockCount(j *judgement, t NamedTransfer) {
	name, found, count := t.Name+"-block", false, int64(0)
	for i := range j.run.Operations {
		if o := &j.run.Operations[i]; o.Name == name {
			found, count = true, count+o.ServiceTime.Count
		}
	}
	if found && count != t.Block.Count {
		j.broken("bandwidth: the %s's block time counts %d blocks, but the operation %s has %d", t.Name, t.Block.Count,
			name, count)
	}
}

// alike: a create, a block and a close are no sample of one thing.
func (d *BandwidthDetail) alike() bool { return false }

func (d *BandwidthDetail) doubts(j *judgement) {
	d.unbelievable(j)
	j.clientsLost("stream")
	n := j.run.apart()
	// A store that is this machine's own disk or memory is no other program.
	if scheme, _, _ := strings.Cut(j.run.Target.URL, ":"); scheme == "file" || scheme == "mem" {
		n = neighbour{who: "Store and generator share this machine", advice: "Use fewer --streams."}
	}
	j.generator(n)
}

// unbelievable finds what makes no bandwidth.
func (d *BandwidthDetail) unbelievable(j *judgement) {
	if d == nil {
		j.say("The document has no transfers, so there is no bandwidth.")
		return
	}
	var files int64
	var short []string
	for _, t := range d.Transfers() {
		files += t.Files
		// Without a complete file there is no bandwidth that could be anyone's.
		if share := d.OwnShare(t.Transfer); t.Files > 0 && share > MaxOwnTimeBelieved {
			j.say("The streams waited for the generator for %s of their time in the %s (limit %s): the bandwidth is the "+
				"generator's limit, not the store's. %s", units.Percent3(share), t.Name,
				units.Percent3(MaxOwnTimeBelieved),
				ownAdvice(t.Name))
		}
		if bytes, ns := t.counted(); bytes > 0 && ns > 0 && ns < MinWindowNS {
			short = append(short, t.Name+" lasted only "+units.Duration(ns))
		}
	}
	switch {
	case files > 0 || j.total.OK == 0:
	case j.run.Interrupted:
		j.say("The run was interrupted before a file was complete, so there is no bandwidth. Transfer less data, or let " +
			"the run end.")
	case j.run.Aborted != "":
		j.say("A threshold ended the run before a file was complete, so there is no bandwidth.")
	default:
		j.say("No file was complete, so there is no bandwidth. Check the causes of the errors.")
	}
	if len(short) > 0 {
		j.say("The %s (minimum %s), so start and end effects dominate. Transfer more data.",
			strings.Join(short, " and the "), units.Duration(MinWindowNS))
	}
	if d.Checksum.Verdict == ChecksumMismatch {
		j.say("The data that was read differs from the data that was written. The store, or the network path to it, " +
			"corrupts data.")
	}
}

func ownAdvice(transfer string) string {
	if transfer == OperationDownload {
		return "Use fewer --streams or more CPUs, or do not verify what is read (--checksum none)."
	}
	return "Use fewer --streams, or more CPUs."
}

// warn leaves out the warnings on response times of all operations together, which have no meaning
// here: a create and a block are no sample of one thing.
func (d *BandwidthDetail) warn(w *warnings) {
	w.clientsLost("stream")
	if d == nil {
		return
	}
	if d.Checksum.Verdict == ChecksumMismatch {
		where := ""
		if d.Checksum.Mismatch != "" {
			where = " (" + d.Checksum.Mismatch + ")"
		}
		w.add(WarnChecksum,
			"The data that was read differs from the data that was written%s. Use --keep to keep the file for inspection.",
			where)
	}
	for _, t := range d.Transfers() {
		d.warnOf(w, t)
	}
	d.standstill(w)
	if w.total.Unfinished > 0 {
		w.add(WarnUnfinished,
			"%s did not finish before the end; the time until then counts.",
			units.Count(w.total.Unfinished, "operation", "operations"))
	}
	if len(d.Left) > 0 && !keeps(w.run) {
		w.add(WarnFilesLeft,
			"%s could not be deleted and must be deleted manually: %s.",
			units.Count(int64(len(d.Left)), "file", "files"), units.FirstOf(d.Left, 3))
	}
	w.fileLost("rows", d.CSV)
}

func (d *BandwidthDetail) warnOf(w *warnings, t NamedTransfer) {
	switch {
	case t.Failed > 0 && t.Files == 0:
		w.add(WarnFilesFailed, "No %s was completed; %s failed.", t.Name, units.Number(t.Failed))
	case t.Failed > 0:
		w.add(WarnFilesFailed,
			"%s of %s %ss were not completed. Their bytes do not count, but their time does, so the bandwidth is too low.",
			units.Number(t.Failed), units.Number(t.Failed+t.Files), t.Name)
	}
	if t.Close.MaxNS > MaxCloseNS && t.Name == OperationUpload {
		w.add(WarnCloseSlow,
			"A close took %s. Applications with a heartbeat may be taken for dead in that time (often after %s). Lower "+
				"--active-blocks, so that writes wait instead.",
			units.Duration(t.Close.MaxNS), units.Duration(MaxCloseNS))
	}
	if t.Reopened > 0 {
		w.add(WarnReopened, "Connections were lost during the %s: files were reopened %s and continued, which is part of "+
			"the bandwidth.", t.Name, units.Count(t.Reopened, "time", "times"))
	}
	if share := d.OwnShare(t.Transfer); share > MaxOwnTime && share <= MaxOwnTimeBelieved {
		w.add(WarnOwnTime,
			"The streams waited for the generator for %s of their time in the %s: the bandwidth may be too low by that much. %s",
			units.Percent3(share), t.Name, ownAdvice(t.Name))
	}
}

// keeps reports whether the plan leaves the files on purpose.
func keeps(r *Run) bool {
	var plan struct {
		Keep bool `json:"keep"`
	}
	// A plan that cannot be read keeps nothing.
	return json.Unmarshal(r.Plan, &plan) == nil && plan.Keep
}
