package rundoc

import (
	"encoding/json"
	"math"
	"strings"
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
)

// WorkloadBandwidth is the Workload of a run whose Detail is a BandwidthDetail.
const WorkloadBandwidth = "bandwidth"

// Bandwidth is the detail of a bandwidth run, or nil for another workload and where there is
// none that can be read.
func (r *Run) Bandwidth() *BandwidthDetail {
	var d BandwidthDetail
	if r.Workload != WorkloadBandwidth || len(r.Detail) == 0 || json.Unmarshal(r.Detail, &d) != nil {
		return nil
	}
	return &d
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

// client is what a client is called in this run, one and many.
func (r *Run) client() string {
	switch r.Workload {
	case WorkloadBandwidth:
		return "stream"
	case WorkloadUpdates:
		return "publisher"
	}
	return "client"
}

// bandwidthLaws checks the figures of a bandwidth run against each other.
func (j *judgement) bandwidthLaws(d *BandwidthDetail) {
	for _, t := range d.Transfers() {
		if min(t.Files, t.Failed, t.Bytes, t.DurationNS, t.DataNS, t.Block.Count) < 0 {
			j.broken("bandwidth: the %s has a negative figure", t.Name)
		}
		rate := 0.0
		if t.Files > 0 && t.DurationNS > 0 {
			rate = float64(t.Bytes) / seconds(t.DurationNS)
		}
		if !(math.Abs(t.BytesPerS-rate) <= 1e-6*rate) {
			j.broken("bandwidth: the %s has %.7g B/s, but %d bytes ÷ %s are %.7g", t.Name, t.BytesPerS, t.Bytes, duration(t.DurationNS), rate)
		}
		// A close may end a moment after the last stamp of its transfer.
		if !(t.CloseShare >= 0 && t.CloseShare <= 1+LedgerTolerance) {
			j.broken("bandwidth: close has %.4g of the streams' time in the %s", t.CloseShare, t.Name)
		}
		// These need no histogram: the document's operations have them.
		j.inOrder("block's time of the "+t.Name, &t.Block)
		j.inOrder("opening's time of the "+t.Name, &t.Open)
		j.inOrder("close's time of the "+t.Name, &t.Close)
		j.blockCount(t)
	}
}

// blockCount compares a transfer's blocks with those that the engine recorded.
func (j *judgement) blockCount(t NamedTransfer) {
	name, found, count := t.Name+"-block", false, int64(0)
	for i := range j.run.Operations {
		if o := &j.run.Operations[i]; o.Name == name {
			found, count = true, count+o.ServiceTime.Count
		}
	}
	if found && count != t.Block.Count {
		j.broken("bandwidth: the %s's block time counts %d blocks, but the operation %s has %d", t.Name, t.Block.Count, name, count)
	}
}

// bandwidth finds what is to be doubted of a bandwidth run; d is nil when it has no detail.
func (j *judgement) bandwidth(d *BandwidthDetail) {
	if d == nil {
		j.say("The document does not say what was transferred: there is no bandwidth to believe.")
		return
	}
	var files int64
	var short []string
	for _, t := range d.Transfers() {
		files += t.Files
		// Without a complete file there is no bandwidth that could be anyone's.
		if share := d.OwnShare(t.Transfer); t.Files > 0 && share > MaxOwnTimeBelieved {
			j.say("The streams waited for the instrument in %s of their time in the %s (more than %s): "+
				"the bandwidth is the instrument's, not the store's. %s", percent(share), t.Name, percent(MaxOwnTimeBelieved), ownAdvice(t.Name))
		}
		if t.Bytes > 0 && t.DurationNS > 0 && t.DurationNS < MinWindowNS {
			short = append(short, t.Name+" lasted only "+duration(t.DurationNS))
		}
	}
	if files == 0 && j.total.OK > 0 {
		j.say("No file was transferred in full: there is no bandwidth to believe. Look at the causes of the failures.")
	}
	if len(short) > 0 {
		j.say("The %s: start and end effects weigh heavily. Move more data to rely on the figures.", strings.Join(short, " and the "))
	}
	if d.Checksum.Verdict == ChecksumMismatch {
		j.say("What was read is not what was written: the download's figures are those of other data. " +
			"The store, or something on the way to it, changes data; do not trust it with any.")
	}
}

func ownAdvice(transfer string) string {
	if transfer == OperationDownload {
		return "Use fewer streams or more CPUs, or do not compare what is read (--checksum none)."
	}
	return "Use fewer streams, or more CPUs."
}
