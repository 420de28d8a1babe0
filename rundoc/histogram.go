package rundoc

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxEncoded bounds an encoded histogram, in bytes of base64. The widest that this package
// reads has 55,296 counts of at most 9 bytes.
const maxEncoded = 1 << 20

// Histogram decodes HDR. It returns nil and no error for an empty summary. What HDR holds
// may come from anywhere: it is checked, and the memory that it takes is bounded (about
// 1 MiB for the histogram that is returned), before it is believed.
func (s Summary) Histogram() (*hdrhistogram.Histogram, error) {
	return decodeHistogram(s.HDR, s.Count, 3, 1)
}

// decodeHistogram decodes a histogram of so many observations, with these significant digits and this unit.
func decodeHistogram(encoded string, count int64, digits int32, unit int64) (*hdrhistogram.Histogram, error) {
	if encoded == "" {
		if count != 0 {
			return nil, fmt.Errorf("a summary of %d observations has no histogram", count)
		}
		return nil, nil
	}
	if len(encoded) > maxEncoded {
		return nil, fmt.Errorf("histogram: %d bytes, more than %d", len(encoded), maxEncoded)
	}
	if err := checkGeometry(encoded, digits, unit); err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	h, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if h.TotalCount() != count {
		return nil, fmt.Errorf("histogram: holds %d observations, but the summary counts %d", h.TotalCount(), count)
	}
	if count == 0 {
		return nil, nil // a text that says nothing is none
	}
	return h, nil
}

// checkGeometry reads the histogram's header. The library would accept any precision, and
// allocate for it (tens of MiB), before it looks at the counts.
//
// Format: cookie, length (4 bytes each), then zlib of: cookie, payload length, index offset,
// significant digits (4 bytes each), lowest, highest value (8 each), ratio. Big endian.
// https://github.com/HdrHistogram/HdrHistogram/blob/master/src/main/java/org/HdrHistogram/AbstractHistogram.java
func checkGeometry(encoded string, wantDigits int32, unit int64) error {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return err
	}
	if len(raw) < 8 {
		return errors.New("too short")
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
	if err != nil {
		return err
	}
	defer z.Close()
	var header [40]byte
	if _, err := io.ReadFull(z, header[:]); err != nil {
		return err
	}
	digits := int32(binary.BigEndian.Uint32(header[12:]))
	lowest := int64(binary.BigEndian.Uint64(header[16:]))
	if digits != wantDigits || lowest != unit {
		return fmt.Errorf("has %d significant digits and the unit %d ns, not %d and %d ns", digits, lowest,
			wantDigits, unit)
	}
	return nil
}

// MergeSummaries makes the summary of all the summaries' observations together. Percentiles
// come from the merged histograms and are as exact as theirs; the minimum and maximum are
// exact; the mean is within 1 ns. Intervals do not follow from those of the parts: only a single summary that is not
// empty keeps its own. A broken or missing histogram is an error. The free figures are merged likewise,
// where all summaries that are not empty have them.
func MergeSummaries(all ...Summary) (Summary, error) {
	return newSamples().merge(all, (*sample).encode)
}

// merge is MergeSummaries; hdr makes the histogram's text.
func (c *samples) merge(all []Summary, hdr func(*sample) string) (Summary, error) {
	merged, err := c.mergeRaw(all, hdr)
	if err != nil {
		return Summary{}, err
	}
	free := make([]Summary, 0, len(all))
	for _, s := range all {
		if s.Free != nil {
			free = append(free, *s.Free)
		} else if s.Count > 0 {
			return merged, nil
		}
	}
	if len(free) == 0 {
		return Summary{}, nil // all are empty
	}
	without, err := c.mergeRaw(free, hdr)
	if err != nil {
		return Summary{}, fmt.Errorf("free: %w", err)
	}
	merged.Free = &without
	return merged, nil
}

// mergeRaw is merge without the free figures.
func (c *samples) mergeRaw(all []Summary, hdr func(*sample) string) (Summary, error) {
	var (
		merged          sample
		lowest, highest = int64(math.MaxInt64), int64(math.MinInt64)
		sum             = new(big.Int)
	)
	for i := range all {
		s := &all[i]
		h, err := c.of(s)
		if err != nil {
			return Summary{}, fmt.Errorf("summary %d of %d: %w", i+1, len(all), err)
		}
		if s.Count == 0 {
			continue
		}
		merged.add(h)
		lowest, highest = min(lowest, s.MinNS), max(highest, s.MaxNS)
		sum.Add(sum, new(big.Int).Mul(big.NewInt(s.MeanNS), big.NewInt(s.Count)))
	}
	if merged.total <= 0 {
		return Summary{}, nil
	}
	m := Summary{
		Count: merged.total, MinNS: lowest, MaxNS: highest, MeanNS: meanOf(sum, merged.total),
		StddevNS: int64(math.Round(merged.deviation())), HDR: hdr(&merged),
	}
	m.setPercentiles(merged.at)
	if i := onlyFilled(all); i >= 0 {
		m.SetIntervals(all[i].Interval, all[i].MeanInterval())
	}
	return m, nil
}

// onlyFilled is the summary that has times, if there is one alone; else -1.
func onlyFilled(all []Summary) int {
	only := -1
	for i := range all {
		switch {
		case all[i].Count == 0:
		case only >= 0:
			return -1
		default:
			only = i
		}
	}
	return only
}

// mergeHistograms adds the narrower of two histograms to the wider one, so that no value
// falls outside, and returns that one. a may be nil.
func mergeHistograms(a, b *hdrhistogram.Histogram) (*hdrhistogram.Histogram, error) {
	if a == nil {
		return b, nil
	}
	if b.HighestTrackableValue() > a.HighestTrackableValue() {
		a, b = b, a
	}
	if dropped := a.Merge(b); dropped != 0 {
		return nil, fmt.Errorf("%d observations do not fit into the merged histogram", dropped)
	}
	return a, nil
}

// sample is a decoded histogram: its buckets that are not empty, which are few of the tens of thousands that there
// may be, in the order of their values. Judging walks it often.
type sample struct {
	bars  []bar
	total int64
	most  int64 // the highest value that can be told from others; what was above counts there
}

// bar is a bucket: the values from low on, so many of them.
type bar struct{ low, width, count int64 }

func (b bar) middle() float64 { return float64(b.low + b.width/2) }

func newSample(h *hdrhistogram.Histogram) *sample {
	s := &sample{total: h.TotalCount(), most: h.HighestTrackableValue()}
	for i, n := range h.Export().Counts {
		if n != 0 {
			low, width := bucket(i)
			s.bars = append(s.bars, bar{low, width, n})
		}
	}
	return s
}

// bucket is where a bucket of a histogram of three significant digits and the unit 1 ns begins, and how many values
// it has. The first 2,048 have one each, every further 1,024 twice as many.
func bucket(i int) (low, width int64) {
	const half = 1024
	if i < 2*half {
		return int64(i), 1
	}
	shift := i/half - 1
	return int64(i%half+half) << shift, 1 << shift
}

// add puts another sample's observations into this one.
func (s *sample) add(other *sample) {
	s.total, s.most = s.total+other.total, max(s.most, other.most)
	all := make([]bar, 0, len(s.bars)+len(other.bars))
	a, b := s.bars, other.bars
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].low < b[0].low:
			all, a = append(all, a[0]), a[1:]
		case a[0].low > b[0].low:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, bar{a[0].low, a[0].width, a[0].count + b[0].count})
			a, b = a[1:], b[1:]
		}
	}
	s.bars = append(append(all, a...), b...)
}

func (s *sample) lowest() int64 { return s.bars[0].low }

func (s *sample) highest() int64 {
	last := s.bars[len(s.bars)-1]
	return last.low + last.width - 1
}

func (s *sample) mean() float64 {
	mean, n := 0.0, float64(s.total)
	for _, b := range s.bars {
		mean += float64(b.count) * b.middle() / n
	}
	return mean
}

func (s *sample) deviation() float64 {
	sum, mean, n := 0.0, s.mean(), float64(s.total)
	for _, b := range s.bars {
		off := b.middle() - mean
		sum += off * off * float64(b.count) / n
	}
	return math.Sqrt(sum)
}

// at is the largest value that is equivalent to the one at a percentile, as the histogram's ValueAtPercentile is.
func (s *sample) at(percentile float64) int64 { return s.atRank(rankOf(s.total, percentile)) }

// rankOf is the rank of a percentile among so many, as the histogram has it.
func rankOf(total int64, percentile float64) int64 {
	if r := percentile/100*float64(total) + 0.5; r < float64(total) {
		return max(1, int64(r))
	}
	return total
}

// atRank is at, of a rank from 1 on.
func (s *sample) atRank(rank int64) int64 {
	for _, b := range s.bars {
		if rank -= b.count; rank <= 0 {
			return b.low + b.width - 1
		}
	}
	return 0
}

// encode is the text of a histogram with these observations.
func (s *sample) encode() string {
	h := hdrhistogram.New(1, s.most, 3)
	for _, b := range s.bars {
		_ = h.RecordValues(b.low, b.count) // it is wide enough for what came from one like it
	}
	text, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase) // only an unknown version fails
	return string(text)
}

func noText(*sample) string { return "" }

// samples are the histograms of a document that have been decoded: many of its times are the same, and each is
// looked at several times. A few hundred bytes of text can be 1.3 MB of bars, so that only so many are kept;
// the others are decoded again.
type samples struct {
	kept map[sampleKey]decoded
	bars int // of all that are kept
}

// maxBars is how many bars are kept: 48 MiB of them. A document of a real run has some ten thousand.
const maxBars = 1 << 21

func newSamples() *samples { return &samples{kept: map[sampleKey]decoded{}} }

type sampleKey struct {
	hdr   string
	count int64
}

type decoded struct {
	sample *sample
	err    error
}

// of is a summary's sample, or nil of an empty one.
func (c *samples) of(s *Summary) (*sample, error) {
	key := sampleKey{s.HDR, s.Count}
	if d, known := c.kept[key]; known {
		return d.sample, d.err
	}
	var d decoded
	h, err := s.Histogram()
	if d.err = err; h != nil && err == nil {
		d.sample = newSample(h)
		if c.bars+len(d.sample.bars) > maxBars {
			return d.sample, nil
		}
		c.bars += len(d.sample.bars)
	}
	c.kept[key] = d
	return d.sample, d.err
}

// MaxSlices is how many slices a document has at most.
const MaxSlices = 120

// Slice has the response times of the window's operations that ended in a part of it, for a picture of
// how they went over time. What ended after the window, or not at all, is in the last one, so that all
// slices together have the operations of the summaries. Slices are a second long; of a window of
// more than MaxSlices seconds two, four, eight and so on.
type Slice struct {
	FromS        int64      `json:"from_s"` // since the start of the window
	Seconds      int64      `json:"seconds"`
	ResponseTime SliceTimes `json:"response_time"`
}

// SliceTimes is a coarse distribution of times.
type SliceTimes struct {
	Count int64 `json:"count"`
	// HDR is a compressed V2 HdrHistogram in base64: two significant digits, unit 128 ns, of which every
	// fourth bucket is used, so that a time is within 3% (and within 128 ns) of what it was. Absent when
	// there are no times.
	HDR string `json:"hdr,omitempty"`
}

// The layout of a slice's histogram.
const (
	sliceDigits = 2
	sliceUnit   = 128     // ns
	sliceMost   = 1 << 42 // ns, 73 minutes
)

// NewSliceHistogram makes an empty histogram of the layout that slices have.
func NewSliceHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(sliceUnit, sliceMost, sliceDigits)
}

// SummarizeSlice writes down a histogram that NewSliceHistogram has made.
func SummarizeSlice(h *hdrhistogram.Histogram) SliceTimes {
	s := SliceTimes{Count: h.TotalCount()}
	if s.Count == 0 {
		return SliceTimes{}
	}
	// Encode writes to memory and can only fail for an unknown version.
	if b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase); err == nil {
		s.HDR = string(b)
	}
	return s
}

// Histogram decodes HDR. It returns nil and no error where there are no times. What HDR holds is checked
// before it is believed, as that of a Summary is.
func (s *SliceTimes) Histogram() (*hdrhistogram.Histogram, error) {
	return decodeHistogram(s.HDR, s.Count, sliceDigits, sliceUnit)
}
