package rundoc

import (
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// WorkloadHTTP is the Workload of a run whose Detail is an HTTPDetail.
const WorkloadHTTP = "http"

// HTTPDetail is the Detail of a run over HTTP. It covers the whole of the load: the ramp, the window and the drain.
type HTTPDetail struct {
	Protocol      string       `json:"protocol"` // "HTTP/1.1", …
	Statuses      []HTTPStatus `json:"statuses"` // in their order
	SentBytes     int64        `json:"sent_bytes"`
	ReceivedBytes int64        `json:"received_bytes"`   // of bodies, as the sent ones, of answers that came whole
	Closed        int64        `json:"closed,omitempty"` // connections that the server closed behind an answer
	Churned       int64        `json:"churned,omitempty"`
	// Resent counts requests that were sent again, on a new connection, since the server had closed theirs before its
	// system took anything of them. They are no further attempts.
	Resent    int64 `json:"resent,omitempty"`
	Redirects int64 `json:"redirects,omitempty"` // that were followed, within their operations
	// StreamLimit is the smallest number of concurrent requests that the server allowed on a connection of HTTP/2
	// (SETTINGS_MAX_CONCURRENT_STREAMS), if it is below the number that a client may have in flight; else 0.
	StreamLimit int64       `json:"stream_limit,omitempty"`
	Tokens      *HTTPTokens `json:"tokens,omitempty"`
	// Connecting is absent where no connection was made.
	Connecting *HTTPConnecting `json:"connecting,omitempty"`
	// The rates of bodies; nil where none was long enough to be measured, and in documents of before.
	Upload    *HTTPBodies    `json:"upload,omitempty"`
	Download  *HTTPBodies    `json:"download,omitempty"`
	BodyFiles []HTTPBodyFile `json:"body_files,omitempty"`
	Failures  []HTTPCheck    `json:"failed_checks,omitempty"`
	// Found is what came instead of what should have, the first time, by cause: of answers that broke a rule or were cut
	// off, and of files that are no more what they were.
	Found   []HTTPFound  `json:"found,omitempty"`
	Samples *SamplesFile `json:"samples,omitempty"`
	// LeftOut is what a log or a recording has besides what was sent.
	LeftOut []HTTPLeftOut `json:"left_out,omitempty"`
	// ReplacedCookies counts the recorded cookies that were not sent, since responses had set or removed cookies of these
	// names.
	ReplacedCookies []HTTPCookie `json:"replaced_cookies,omitempty"`
	// RefusedCookies counts the cookies of responses that were not accepted, by the rules of RFC 6265.
	RefusedCookies []HTTPCookie `json:"refused_cookies,omitempty"`
	// SpreadNS is the unit of the times of a log within which its requests were spread, since it does not say more.
	SpreadNS int64 `json:"spread_ns,omitempty"`
}

// HTTPLeftOut counts what of a log or of a recording was not sent.
type HTTPLeftOut struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// HTTPCookie counts the cookies of a name. Values of cookies are in no document.
type HTTPCookie struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Why   string `json:"why,omitempty"` // the cookie was refused, the first time
}

// HTTPTokens says what became of asking for tokens (OAuth 2), which is done beside the requests.
type HTTPTokens struct {
	Fetched     int64  `json:"fetched"`
	Failed      int64  `json:"failed,omitempty"`
	LastFailure string `json:"last_failure,omitempty"`
}

// HTTPStatus counts the answers of one status.
type HTTPStatus struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// HTTPCheck is a check that did not hold.
type HTTPCheck struct {
	Check   string `json:"check"`
	Count   int64  `json:"count"`
	Example string `json:"example,omitempty"` // what was found instead, the first time
}

// HTTPFound says what was wrong the first time that an attempt failed of a cause.
type HTTPFound struct {
	Cause string `json:"cause"`
	What  string `json:"what"`
}

// HTTP is the detail of a run over HTTP, or nil for another workload and where there is none that can be read.
func (r *Run) HTTP() *HTTPDetail {
	d, _ := r.Detail.(*HTTPDetail)
	return d
}

// laws: each answer has a status, and what ended ok or failed a check was an answer.
func (d *HTTPDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	var answers int64
	for _, s := range d.Statuses {
		answers += s.Count
		if s.Status < 100 || s.Status > 999 || s.Count <= 0 {
			j.broken("http: %d responses have the status %d", s.Count, s.Status)
		}
	}
	failed := int64(0)
	for _, c := range d.Failures {
		failed += c.Count
		if c.Count <= 0 {
			j.broken("http: %d responses failed a check", c.Count)
		}
	}
	if answers < j.total.OK+failed {
		j.broken("http: %d requests ended ok and %d responses failed a check, but %d responses have a status",
			j.total.OK, failed, answers)
	}
	d.Upload.laws(j, "upload")
	d.Download.laws(j, "download")
	for _, l := range d.LeftOut {
		if l.Count <= 0 {
			j.broken("http: %d requests were left out (%s)", l.Count, l.What)
		}
	}
	for _, c := range slices.Concat(d.ReplacedCookies, d.RefusedCookies) {
		if c.Count <= 0 {
			j.broken("http: the cookie %s was replaced or refused %d times", c.Name, c.Count)
		}
	}
	if min(d.SpreadNS, d.SentBytes, d.ReceivedBytes, d.Closed, d.Churned, d.Resent, d.Redirects) < 0 {
		j.broken("http: a count is negative")
	}
	for i := range d.BodyFiles {
		if f := &d.BodyFiles[i]; min(f.SizeBytes, f.ReadBytes, f.ReadNS, f.LongestReadNS) < 0 || f.LongestReadNS > f.ReadNS {
			j.broken("http: reading %s took %d ns, and the longest of it %d", f.Name, f.ReadNS, f.LongestReadNS)
		}
	}
	d.Connecting.laws(j)
}

func (d *HTTPDetail) doubts(j *judgement) {
	j.commonDoubts("client")
	d.slowFiles(j)
	d.streamLimit(j)
}

// streamLimit finds requests that waited for a stream, which is part of their service time.
func (d *HTTPDetail) streamLimit(j *judgement) {
	clients := int64(j.run.Ledger.Clients)
	if d == nil || d.StreamLimit <= 0 || clients <= 0 || j.run.Little.Slots <= clients*d.StreamLimit {
		return
	}
	pipeline := j.run.Little.Slots / clients
	if most := float64(clients * d.StreamLimit); j.run.Little.InFlightPredicted < MinStreamsBusy*most {
		return
	}
	j.say("The server allows %s per connection (MAX_CONCURRENT_STREAMS), but --pipeline is %d, so requests waited for "+
		"each other. Use --pipeline %d and more --clients.",
		units.Count(d.StreamLimit, "concurrent request", "concurrent requests"), pipeline, d.StreamLimit)
}

// MinStreamsBusy is the share of the streams that the server allows that must be in use on average before requests may
// have waited for one noticeably.
const MinStreamsBusy = 0.5

func (d *HTTPDetail) alike() bool { return true }

func (d *HTTPDetail) warn(w *warnings) {
	w.common("client")
	if d != nil {
		w.fileLost("samples", d.Samples)
		d.played(w)
		d.warnOfFiles(w)
	}
}

// HTTPConnecting says how the connections of a run over HTTP were made: all of them that were, those of the warm-up and
// of reconnecting too.
type HTTPConnecting struct {
	Lookup *Summary `json:"lookup,omitempty"` // of the host's name; absent where nothing was looked up
	TCP    *Summary `json:"tcp"`              // from then on until the connection was there
	Proxy  *Summary `json:"proxy,omitempty"`  // until the proxy had made the way through it
	TLS    *Summary `json:"tls,omitempty"`    // the handshake
	// Addresses are those that the connections lead to, and how many each has; MoreAddresses counts the connections to
	// others than the first 32.
	Addresses     []HTTPAddress `json:"addresses"`
	MoreAddresses int64         `json:"more_addresses,omitempty"`
}

// HTTPAddress counts the connections to one address.
type HTTPAddress struct {
	Address     string `json:"address"` // with its port
	Connections int64  `json:"connections"`
}

// laws: each connection that was opened has its stages, which lie within its time.
func (c *HTTPConnecting) laws(j *judgement) {
	if c == nil {
		return
	}
	if c.TCP == nil {
		j.broken("http: connections have no times")
		return
	}
	all, whole := &j.run.Connections, 0.0
	for _, stage := range []struct {
		name  string
		times *Summary
	}{{"the lookup of names", c.Lookup}, {"TCP", c.TCP}, {"the way through a proxy", c.Proxy}, {"TLS", c.TLS}} {
		if stage.times == nil {
			continue
		}
		j.summary("http: "+stage.name, stage.times)
		whole += float64(stage.times.MeanNS) * float64(stage.times.Count)
		if stage.times.Count > all.Opened {
			j.broken("http: %d connections were opened, and %d have a time of %s", all.Opened, stage.times.Count, stage.name)
		}
	}
	if c.TCP.Count != all.Opened {
		j.broken("http: %d connections were opened, and %d have stages", all.Opened, c.TCP.Count)
	}
	// Means are whole ns.
	if t := &all.ConnectTime; whole > (float64(t.MeanNS)+4)*float64(t.Count)*(1+1e-6) {
		j.broken("http: the stages of connecting took longer than connecting")
	}
	led := c.MoreAddresses
	for _, a := range c.Addresses {
		led += a.Connections
	}
	if led != c.TCP.Count {
		j.broken("http: %d connections were opened, but %d have an address", c.TCP.Count, led)
	}
}

// played says what of a log or of a recording was not sent as it was.
func (d *HTTPDetail) played(w *warnings) {
	if len(d.LeftOut) > 0 {
		const most = 5
		var list []string
		for i, l := range d.LeftOut {
			if i == most {
				list = append(list, units.Count(int64(len(d.LeftOut)-most), "other kind", "other kinds"))
				break
			}
			list = append(list, units.Clean(l.What)+" ("+units.Number(l.Count)+")")
		}
		w.add(WarnLeftOut, "Some recorded requests were not sent: %s.", strings.Join(list, ", "))
	}
	if len(d.ReplacedCookies) > 0 {
		w.add(WarnCookiesReplaced, "Responses replaced recorded cookies: %s.",
			namesOf(d.ReplacedCookies))
	}
	if len(d.RefusedCookies) > 0 {
		w.add(WarnCookiesRefused, "Cookies of responses were rejected, as by browsers: %s.",
			namesOf(d.RefusedCookies))
	}
	if d.SpreadNS > 0 {
		w.add(WarnSpread, "The log has a time resolution of %s: requests with the same time were spread evenly over "+
			"it, in their order.", units.Duration(d.SpreadNS))
	}
}

// namesOf lists the names of cookies, and why they were refused.
func namesOf(cookies []HTTPCookie) string {
	const most = 5
	var list []string
	for _, c := range cookies[:min(len(cookies), most)] {
		name := units.Clean(c.Name)
		if c.Why != "" {
			name += " (" + units.Clean(c.Why) + ")"
		}
		list = append(list, name)
	}
	if more := len(cookies) - most; more > 0 {
		list = append(list, units.Count(int64(more), "other", "others"))
	}
	return strings.Join(list, ", ")
}

// HTTPBodies are the rates of single bodies in one direction: of those that were long enough to be measured.
type HTTPBodies struct {
	Name   string `json:"name,omitempty"` // of the request; "" for all
	Bodies int64  `json:"bodies"`         // that were measured
	// Qualities counts them by the quality of their rate, as module throughput has it, and Limits those of which it can
	// be told by what they were held up by.
	Qualities map[string]int64 `json:"qualities"`
	Limits    map[string]int64 `json:"limits,omitempty"`
	// Rated is how many of them have the quality ok or paced: their rate is within 5 %. What follows is of these.
	Rated        int64    `json:"rated"`
	BytesPerS    float64  `json:"bytes_per_s,omitempty"` // their bytes ÷ the time that each took, summed
	MinBytesPerS float64  `json:"min_bytes_per_s,omitempty"`
	P10BytesPerS *float64 `json:"p10_bytes_per_s,omitempty"` // a tenth was slower
	P50BytesPerS *float64 `json:"p50_bytes_per_s,omitempty"`
	P90BytesPerS *float64 `json:"p90_bytes_per_s,omitempty"`
	MaxBytesPerS float64  `json:"max_bytes_per_s,omitempty"`
	// ByRequest are those of each request, where several have some.
	ByRequest []HTTPBodies `json:"by_request,omitempty"`
}

// HTTPBodyFile is a file that requests sent from the disk.
type HTTPBodyFile struct {
	Name      string `json:"name"`
	SizeBytes int64  `json:"size_bytes"`
	// ReadBytes were read for requests, in ReadNS: the sum of the times in which a client waited for the disk and sent
	// nothing. LongestReadNS is the longest of these waits.
	ReadBytes     int64 `json:"read_bytes"`
	ReadNS        int64 `json:"read_ns"`
	LongestReadNS int64 `json:"longest_read_ns"`
}

// The qualities of a rate that is within 5 %.
const (
	qualityOK    = "ok"
	qualityPaced = "paced"
)

// laws: the parts are the whole, and a distribution is in order.
func (b *HTTPBodies) laws(j *judgement, direction string) {
	if b == nil {
		return
	}
	b.counts(j, direction)
	last := b.MinBytesPerS
	for _, v := range []*float64{b.P10BytesPerS, b.P50BytesPerS, b.P90BytesPerS, &b.MaxBytesPerS} {
		if v != nil && *v < last {
			j.broken("http: the rates of the %s are out of order", direction)
		}
		if v != nil {
			last = *v
		}
	}
	within := b.BytesPerS >= b.MinBytesPerS*(1-rateRounding) && b.BytesPerS <= b.MaxBytesPerS*(1+rateRounding)
	if !within || math.IsInf(b.MaxBytesPerS, 0) || b.MinBytesPerS < 0 {
		j.broken("http: the mean rate of the %s is %.0f, of rates from %.0f to %.0f", direction, b.BytesPerS,
			b.MinBytesPerS, b.MaxBytesPerS)
	}
	if len(b.ByRequest) == 0 {
		return
	}
	var bodies, rated int64
	for i := range b.ByRequest {
		each := &b.ByRequest[i]
		each.laws(j, direction)
		bodies, rated = bodies+each.Bodies, rated+each.Rated
	}
	if bodies != b.Bodies || rated != b.Rated {
		j.broken("http: the requests have %d bodies of the %s, %d of them with a rate; all of them together %d and %d",
			bodies, direction, rated, b.Bodies, b.Rated)
	}
}

// counts: each body has a quality, and not more than one limit.
func (b *HTTPBodies) counts(j *judgement, direction string) {
	sum := func(counts map[string]int64) (all int64) {
		for of, n := range counts {
			if n < 0 {
				j.broken("http: %d bodies of the %s are %s", n, direction, of)
			}
			all += n
		}
		return all
	}
	qualities, limits := sum(b.Qualities), sum(b.Limits)
	if rated := b.Qualities[qualityOK] + b.Qualities[qualityPaced]; qualities != b.Bodies || rated != b.Rated {
		j.broken("http: of %d bodies of the %s %d have a quality, and %d a rate", b.Bodies, direction, qualities, b.Rated)
	}
	if limits > b.Bodies {
		j.broken("http: %d bodies of the %s were measured, and %d of them have a limit", b.Bodies, direction, limits)
	}
}

// rateRounding is what the rounding of times to 1 ns may be of a rate.
const rateRounding = 1e-3

// readShare is what share of the requests' time went into reading the files that they sent.
func (d *HTTPDetail) readShare(total *Operation) float64 {
	if d == nil {
		return 0
	}
	var reading float64
	for i := range d.BodyFiles {
		reading += float64(d.BodyFiles[i].ReadNS)
	}
	all := float64(total.ServiceTime.MeanNS) * float64(total.ServiceTime.Count)
	if reading <= 0 || all <= 0 {
		return 0
	}
	return min(1, reading/all)
}

const readAdvice = "Use a faster disk, or files that fit into this machine's memory."

// slowFiles doubts times that are the disk's.
func (d *HTTPDetail) slowFiles(j *judgement) {
	if share := d.readShare(&j.total); share > MaxOwnTimeBelieved {
		j.say("Reading the files to send took %s of the requests' time (limit %s), so the times are the disk's, not the "+
			"server's. %s", units.Percent3(share), units.Percent3(MaxOwnTimeBelieved), readAdvice)
	}
}

// warnOfFiles tells of a disk that took less than that.
func (d *HTTPDetail) warnOfFiles(w *warnings) {
	if share := d.readShare(w.total); share > MaxOwnTime && share <= MaxOwnTimeBelieved {
		w.add(WarnOwnTime, "Reading the files to send took %s of the requests' time, which is part of the response "+
			"times. %s", units.Percent3(share), readAdvice)
	}
}
