package rundoc

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/units"
)

// BandwidthDetail is the Detail of a bandwidth run.
type BandwidthDetail struct {
	SizeBytes  int64 `json:"size_bytes"`  // of each file; of Objects, the largest that was read
	BlockBytes int64 `json:"block_bytes"` // of each write and read; the last of a file may be shorter
	Streams    int   `json:"streams"`     // files written or read at the same time
	Iterations int   `json:"iterations"`  // completed ones; in a run by time, files that each stream moved at least
	// Store is what the figures belong to.
	Store    StoreUsed `json:"store"`
	Upload   *Transfer `json:"upload,omitempty"`   // nil when nothing was uploaded
	Download *Transfer `json:"download,omitempty"` // nil when nothing was downloaded
	// Objects are the files below the target's URL, which a run that only downloads has read some of; nil for any other.
	Objects  *ObjectsFound    `json:"objects,omitempty"`
	Checksum Checksum         `json:"checksum"`
	Requests []RequestFigures `json:"requests,omitempty"` // by name; empty for stores that do not speak HTTP
	// Flow is what moved over time; nil in documents of before it was counted.
	Flow *Flow `json:"flow,omitempty"`
	// Slow are requests that took much longer than others of their name, the longest first, at most ten.
	Slow []SlowRequest `json:"slow,omitempty"`
	// Limits says what held the transfers up, by its share of their time, the largest first.
	Limits []Limit `json:"limits,omitempty"`
	// Blocks are the single operations in the order in which they ended, at most MaxBlocks.
	Blocks        []Block      `json:"blocks,omitempty"`
	BlocksOmitted int64        `json:"blocks_omitted,omitempty"`
	CSV           *SamplesFile `json:"csv,omitempty"`
	Left          []string     `json:"left,omitempty"` // files left behind: asked for, or not deletable
}

// MaxBlocks is how many single operations a document holds. The file of --csv has them all.
const MaxBlocks = 50000

// StoreUsed tells which store was used, and how.
type StoreUsed struct {
	Client      string    `json:"client"`                 // library and version
	Endpoint    string    `json:"endpoint,omitempty"`     // without credentials; empty when the target's URL says it
	PartBytes   int64     `json:"part_bytes,omitempty"`   // absent for a store that knows no parts
	ActiveParts int       `json:"active_parts,omitempty"` // of each stream, in flight or in the queue
	AtOnce      int       `json:"at_once,omitempty"`      // parts and ranges in flight of all streams; absent: not bounded
	Integrity   string    `json:"integrity,omitempty"`    // what the store checks itself
	Data        string    `json:"data"`                   // random, text or zero
	Policy      string    `json:"policy,omitempty"`       // how the file was read
	Notes       []string  `json:"notes,omitempty"`        // what a reader of the figures must know
	Settings    []Setting `json:"settings,omitempty"`     // of -D, --xmlfile and --tokenfile, those applied
	Ignored     []string  `json:"ignored,omitempty"`      // names of those that mean nothing here

	// LimitBytesPerS is what the store was told to give at most, each way; absent where nobody told it.
	LimitBytesPerS int64 `json:"limit_bytes_per_s,omitempty"`
}

// PartsInFlight is how many parts of each of so many streams are in flight at most, and whether AtOnce is what bounds
// them; 0 for a store that knows no parts.
func (s *StoreUsed) PartsInFlight(streams int) (each float64, bounded bool) {
	each = float64(s.ActiveParts)
	if share := float64(s.AtOnce) / float64(max(1, streams)); s.AtOnce > 0 && share < each {
		return share, true
	}
	return each, false
}

// Setting is a setting that was applied.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // "(secret)" where it must not be shown
	Source string `json:"source"`
}

// Transfer is all uploads of a run, or all downloads.
type Transfer struct {
	Files  int64 `json:"files"`  // completed
	Failed int64 `json:"failed"` // files that were begun and not completed
	Bytes  int64 `json:"bytes"`  // of the completed files
	// DurationNS is the time from the first create (open) of an iteration to its last close,
	// summed over the iterations. Deleting and renaming are not in it.
	DurationNS int64   `json:"duration_ns"`
	BytesPerS  float64 `json:"bytes_per_s,omitempty"` // Bytes ÷ DurationNS, or of Steady; absent when no file was moved
	// Steady is the part in which all streams were busy, whose bytes and time make BytesPerS. It is there for a
	// run by time (--duration) that came to its end.
	Steady *SteadyPart `json:"steady,omitempty"`
	// Block is the time of a block's write or read, as its caller sees it. That of the
	// operation upload-block or download-block of the document, without a histogram.
	Block Summary `json:"block"`
	// Open and Close are the times of create-file or open-for-download, and of close.
	Open  Summary `json:"open"`
	Close Summary `json:"close"`
	// CloseShare is the part of the streams' time that was spent in close, 0 to 1; absent when
	// nothing was closed.
	CloseShare float64 `json:"close_share,omitempty"`
	// BlockWithCloseNS is the mean time per block, that of close included; absent without blocks.
	BlockWithCloseNS int64 `json:"block_with_close_ns,omitempty"`
	// DataNS is how long the streams waited for data to be made, or for what was read to be
	// checked: the instrument's own time. A wait during which parts were on their way counts by
	// the share of the queue's places that stood empty. It is in DurationNS.
	DataNS int64 `json:"data_ns"`
	// TakenNS is how long all streams waited for data to be made while nothing was on its way. It was taken out of
	// DurationNS and is not in DataNS; absent in documents of before, which took out nothing.
	TakenNS int64 `json:"taken_out_ns,omitempty"`
	// FirstBlockNS is the mean time from open to the end of the first block's read.
	FirstBlockNS int64             `json:"first_block_ns,omitempty"`
	Iterations   []IterationFigure `json:"iterations,omitempty"` // at most 1000
	// Reopened is how often a file was opened again where it was, because its connection was lost while it was read, by
	// cause. The time of that is in DurationNS. Absent where it never was, in an upload, and in documents of before.
	Reopened     int64         `json:"reopened,omitempty"`
	ReopenCauses []Cause       `json:"reopen_causes,omitempty"`
	Course       []CoursePoint `json:"course,omitempty"`
	// Standstill is nil where there was none of half a second, and where nobody looked.
	Standstill *Standstill `json:"standstill,omitempty"`
}

// SteadyPart is the part of a transfer in which every stream was busy with one file after the other.
type SteadyPart struct {
	FromNS     int64 `json:"from_ns"` // since the transfer's start
	DurationNS int64 `json:"duration_ns"`
	Bytes      int64 `json:"bytes"` // moved in it, of complete files
}

// IterationFigure is one iteration of a transfer.
type IterationFigure struct {
	Bytes      int64 `json:"bytes"`
	DurationNS int64 `json:"duration_ns"`
	// FromNS is since the start of the window; nil in documents that do not say.
	FromNS *int64 `json:"from_ns,omitempty"`
}

// CoursePoint is one second of the run.
type CoursePoint struct {
	Second int64 `json:"second"` // since the start of the window
	Client int64 `json:"client"` // bytes of the blocks whose write or read ended then
	// Network is of documents before there was a Flow: bytes of requests, each spread evenly over its time.
	Network int64 `json:"network,omitempty"`
}

// ObjectsFound tells which files were found below a place, and which of them were to be read.
type ObjectsFound struct {
	Listed      int64 `json:"listed"`
	ListedBytes int64 `json:"listed_bytes"`
	More        bool  `json:"more,omitempty"`  // there are others, which were not listed
	Empty       int64 `json:"empty,omitempty"` // without a content, and not read
	Read        int64 `json:"read"`            // chosen to be read, in each iteration
	ReadBytes   int64 `json:"read_bytes"`
	Sizes       Sizes `json:"sizes"`      // of those with a content
	ReadSizes   Sizes `json:"read_sizes"` // of those chosen
}

// Sizes are those of several files, in bytes.
type Sizes struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
}

// Checksum tells whether what was read is what was written.
type Checksum struct {
	Algorithm string `json:"algorithm"`          // crc32c, sha256 or none
	Verdict   string `json:"verdict"`            // one of the Checksum constants
	Bytes     int64  `json:"bytes"`              // that were compared
	Mismatch  string `json:"mismatch,omitempty"` // how much is wrong, and where the first of it is

	// How many bytes are not what was written, in how many blocks of how many files, of which one that is read again
	// counts again. Absent where nothing is wrong, and in documents of before.
	WrongBytes  int64 `json:"wrong_bytes,omitempty"`
	WrongBlocks int64 `json:"wrong_blocks,omitempty"`
	WrongFiles  int64 `json:"wrong_files,omitempty"`
	// Wrong is where the first of them are, in the first such file; at most five.
	Wrong []ByteRange `json:"wrong,omitempty"`
}

// ByteRange is a stretch of a file.
type ByteRange struct {
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// The verdicts of a Checksum.
const (
	ChecksumOK       = "ok"       // all that was read is what was written
	ChecksumMismatch = "mismatch" // something else was read
	ChecksumNone     = "not checked"
)

// RequestFigures sums up the HTTP requests of one name, attempt by attempt.
type RequestFigures struct {
	Name          string  `json:"name"` // such as UploadPart
	Attempts      int64   `json:"attempts"`
	Failed        int64   `json:"failed"` // attempts that ended with an error, or with a status from 400 on
	Retries       int64   `json:"retries"`
	Causes        []Cause `json:"causes,omitempty"` // of the retries
	BytesSent     int64   `json:"bytes_sent"`
	BytesReceived int64   `json:"bytes_received"`
	Connections   int64   `json:"connections"` // that were made for them
	// Where the attempts' time went, summed: until there was a connection, until the request
	// was written, until the first byte of the answer, until its end.
	SetupNS   int64 `json:"setup_ns"`
	SendNS    int64 `json:"send_ns"`
	WaitNS    int64 `json:"wait_ns"`
	ReceiveNS int64 `json:"receive_ns"`
	TotalNS   int64 `json:"total_ns"`
	SlowestNS int64 `json:"slowest_ns"`
	// PausedNS is from the end of each attempt that failed to the start of the one that repeated it, summed; 0 also where
	// the store's client does not tell.
	PausedNS int64 `json:"paused_ns,omitempty"`
	// Stages are the times of each stage, of the attempts that got an answer, without histograms; nil in documents of
	// before.
	Stages *RequestStages `json:"stages,omitempty"`
	// Rates of one request's body, each over the attempts that have one; nil when none has.
	Handoff   *BodyRate `json:"write_throughput_handoff,omitempty"`
	Delivered *BodyRate `json:"write_throughput_delivered,omitempty"`
	Read      *BodyRate `json:"read_throughput,omitempty"`
	// Qualities counts the attempts by the quality of their rate.
	Qualities map[string]int64 `json:"qualities,omitempty"`
	// Limits counts the attempts by what their bodies were held up by: source, send_buffer, receiver
	// or network of those that send, reader or network of those that receive. Those of which it cannot
	// be told are not in it.
	Limits map[string]int64 `json:"limits,omitempty"`
}

// RequestStages are the times of the stages of requests, and of the whole of them.
type RequestStages struct {
	Setup   Summary `json:"setup"`   // until there was a connection
	Send    Summary `json:"send"`    // from then until the request was written
	Wait    Summary `json:"wait"`    // from then until the answer began
	Receive Summary `json:"receive"` // from then until its end
	Whole   Summary `json:"whole"`
}

// BodyRate is a rate of bodies: their bytes ÷ the time that they took.
type BodyRate struct {
	Attempts  int64   `json:"attempts"`
	BytesPerS float64 `json:"bytes_per_s"`
}

// Limit is something that held a transfer up.
type Limit struct {
	Transfer string  `json:"transfer"` // upload or download
	What     string  `json:"what"`     // generation, checksum, network, store, connections, retries, pauses
	Share    float64 `json:"share"`    // of the transfer's time, 0 to 1
	Message  string  `json:"message"`  // a sentence, with what to try
}

// Block is one operation of a transfer.
type Block struct {
	Operation  string `json:"operation"` // such as upload-block
	Stream     int    `json:"stream"`    // from 1
	Iteration  int    `json:"iteration"` // from 1
	Bytes      int64  `json:"bytes"`
	Total      int64  `json:"total"`    // bytes of its file until its end
	StartNS    int64  `json:"start_ns"` // since the start of the window
	DurationNS int64  `json:"duration_ns"`
	Cause      string `json:"cause,omitempty"` // why it failed
}

// The names of the operations of a bandwidth run. OperationUpload and OperationDownload are
// the totals of a file, which a CSV has as rows; they are no operations of the document.
const (
	OperationCreate        = "create-file"
	OperationUploadBlock   = "upload-block"
	OperationFlush         = "flush"
	OperationCloseUpload   = "close-upload"
	OperationUpload        = "upload"
	OperationRename        = "rename"
	OperationOpen          = "open-for-download"
	OperationDownloadBlock = "download-block"
	OperationCloseDownload = "close-download"
	OperationDownload      = "download"
	OperationDelete        = "delete-file"
)

// Flow is what a bandwidth run moved over its time, counted where it crossed the sockets, or by the calls of the
// system of a store without any. Headers of requests are in it, and so is what tls or ssh adds.
type Flow struct {
	// Counted says how: one of the Counted constants.
	Counted   string `json:"counted"`
	Encrypted bool   `json:"encrypted,omitempty"` // what was counted is ciphertext
	// BinNS is the width of a bin, FromNS where the first begins, since the start of the window: a little before it.
	BinNS  int64 `json:"bin_ns"`
	FromNS int64 `json:"from_ns"`
	// Sent and Received are bytes, bin by bin; what is beyond the end is none.
	Sent     []int64 `json:"sent,omitempty"`
	Received []int64 `json:"received,omitempty"`
	// LongestLookNS is the longest time between two looks at the counts. What moved in it is spread evenly over it,
	// and over no longer time.
	LongestLookNS int64 `json:"longest_look_ns"`
}

// How a Flow was counted.
const (
	// CountedKernel: what the other side had acknowledged by the kernel's count, and what had come.
	CountedKernel = "kernel"
	// CountedQueue: what sockets were given, less what waited in their queues; what was read from them.
	CountedQueue = "queue"
	// CountedHandedOver: what sockets were given, and may have waited there; what was read from them.
	CountedHandedOver = "handed_over"
	// CountedCalls: what calls of the system wrote and read, when they had returned.
	CountedCalls = "calls"
)

// Direction are the bins of a transfer: what was sent of an upload, what was received of a download.
func (f *Flow) Direction(transfer string) []int64 {
	if transfer == OperationUpload {
		return f.Sent
	}
	return f.Received
}

// Standstill tells when a transfer stood still: not one byte went its way, while it was on.
type Standstill struct {
	// FromNS is where the longest begins, since the start of the window, and DurationNS how long it is.
	FromNS     int64 `json:"from_ns"`
	DurationNS int64 `json:"duration_ns"`
	// AllNS is the time of all that have half a second or more, of the hundred longest.
	AllNS int64 `json:"all_ns"`
}

// SlowRequest is a request that took SlowTimes the median of those of its name, and SlowNS longer, or more.
type SlowRequest struct {
	Name       string `json:"name"`         // such as UploadPart
	Of         string `json:"of,omitempty"` // what of the file, such as part 7; absent where nobody said
	FromNS     int64  `json:"from_ns"`      // since the start of the window
	DurationNS int64  `json:"duration_ns"`  //
	MedianNS   int64  `json:"median_ns"`    // of the attempts of its name
	Failed     bool   `json:"failed,omitempty"`
}

const (
	// SlowTimes is from which multiple of the median on a request is slow. Parts that share a link fairly differ by
	// two or three times, when some begin as others end; one that waited for a retransmission of the kernel's or
	// for a server that stood still takes longer than that.
	SlowTimes = 5
	// SlowNS is how much longer than the median it must have taken too: among requests of milliseconds there always
	// is one of five times the median, and it holds nothing up.
	SlowNS = 500_000_000
	// SlowLeast is of how many requests the median must be.
	SlowLeast = 5
	// MinStandstillNS is the shortest standstill that is warned of.
	MinStandstillNS = 1_000_000_000
)

// flowLaws checks what was counted.
func (d *BandwidthDetail) flowLaws(j *judgement) {
	if f := d.Flow; f != nil {
		if f.BinNS <= 0 || f.LongestLookNS < 0 {
			j.broken("bandwidth: the course has bins of %d ns, sampled every %d ns", f.BinNS, f.LongestLookNS)
		}
		for _, bins := range [][]int64{f.Sent, f.Received} {
			for i, bytes := range bins {
				if bytes < 0 {
					j.broken("bandwidth: bin %d of the course has %d bytes", i, bytes)
					break
				}
			}
		}
	}
	for _, t := range d.Transfers() {
		// Everything that the complete files have has been sent or received, and more: headers, what was sent again.
		if d.Flow != nil {
			if all := total(d.Flow.Direction(t.Name)); all < float64(t.Bytes) {
				j.broken("bandwidth: the course of the %s has %.0f bytes, and its files have %d", t.Name, all, t.Bytes)
			}
		}
		// A standstill is within the iterations, which the duration sums up.
		if s := t.Standstill; s != nil && (s.DurationNS <= 0 || s.AllNS < s.DurationNS || s.AllNS > t.DurationNS) {
			j.broken("bandwidth: the %s was stalled for %s, of %s in total, but took %s", t.Name,
				units.Duration(s.DurationNS), units.Duration(s.AllNS), units.Duration(t.DurationNS))
		}
	}
}

func total(bins []int64) (sum float64) { // of any document: this does not overflow
	for _, bytes := range bins {
		sum += float64(bytes)
	}
	return sum
}

// standstill tells of the time in which a transfer stood still. Where nothing was counted, it tells of whole seconds
// in which not one block ended and no request was on its way.
func (d *BandwidthDetail) standstill(w *warnings) {
	if d.Flow == nil {
		d.standstillOfSeconds(w)
		return
	}
	for _, t := range d.Transfers() {
		s := t.Standstill
		if s == nil || s.DurationNS < MinStandstillNS {
			continue
		}
		text := ""
		if s.AllNS > s.DurationNS {
			text = fmt.Sprintf("; all stalls together lasted %s of %s", units.Duration(s.AllNS),
				units.Duration(t.DurationNS))
		}
		if r := d.SlowIn(s); r != nil {
			of := ""
			if r.Of != "" {
				of = " (" + units.Clean(r.Of) + ")"
			}
			text += fmt.Sprintf(". In flight then: %s%s, which took %s, %.0f times the median", units.Clean(r.Name), of,
				units.Duration(r.DurationNS), r.Times())
		}
		w.add(WarnStandstill, "The %s stalled: no byte moved for %s, starting %s after the start%s.", t.Name,
			units.Duration(s.DurationNS), units.Duration(s.FromNS), text)
	}
}

// Times is how many times the median a slow request took.
func (r *SlowRequest) Times() float64 { return float64(r.DurationNS) / float64(max(r.MedianNS, 1)) }

// SlowIn is the longest of the slow requests that went on for half of a standstill or more; nil when there is none.
func (d *BandwidthDetail) SlowIn(s *Standstill) *SlowRequest {
	for i := range d.Slow {
		r := &d.Slow[i]
		within := min(r.FromNS+r.DurationNS, s.FromNS+s.DurationNS) - max(r.FromNS, s.FromNS)
		if within >= s.DurationNS/2 {
			return r
		}
	}
	return nil
}

// standstillOfSeconds tells of whole seconds in which not one byte moved, neither for the client nor on the network,
// between the first byte and the last. It is only told of stores whose requests are known, and when there were so
// many of them that it is not chance.
func (d *BandwidthDetail) standstillOfSeconds(w *warnings) {
	var requests int64
	for _, r := range d.Requests {
		requests += r.Attempts
	}
	moved := map[int64]bool{}
	first, last := int64(math.MaxInt64), int64(0)
	for _, t := range d.Transfers() {
		for _, p := range t.Course {
			// A million seconds are 12 days: what says more than that makes no sense.
			if (p.Client > 0 || p.Network > 0) && p.Second >= 0 && p.Second < 1_000_000 {
				moved[p.Second], first, last = true, min(first, p.Second), max(last, p.Second)
			}
		}
	}
	still := last - first + 1 - int64(len(moved))
	if still <= 0 || float64(requests)/float64(last-first+1) < MinDeadRate {
		return
	}
	since := first
	for moved[since] {
		since++
	}
	w.add(WarnStandstill, "No byte moved in %d s of %d, first %d s after the start.", still, last-first+1, since)
}
