package bandwidth

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// leastLimit is the share of a transfer's time from which on something is named as what
// limited it.
const leastLimit = 0.1

// limitsOf finds what held the transfers up.
//
// What the streams waited for data is known. The rest of their time they waited for the
// store's client, and its requests divide that: the time until a connection was there, until
// the body was sent or received, that in which the store had not answered yet, and the pauses
// before an attempt was repeated. Several
// requests at the same time share in it by their own times. Where all of them together are
// shorter than the streams' time, no body was on its way in the difference at least.
func limitsOf(d *rundoc.BandwidthDetail, result *Result, policy Policy) []rundoc.Limit {
	var list []rundoc.Limit
	if d.Upload != nil {
		list = append(list, orStoreLimit(d, rundoc.NamedTransfer{Name: "upload", Transfer: d.Upload},
			uploadLimits(d, &result.Upload))...)
	}
	if d.Download != nil {
		list = append(list, orStoreLimit(d, rundoc.NamedTransfer{Name: "download", Transfer: d.Download},
			downloadLimits(d, &result.Download, policy))...)
	}
	return list
}

// nearLimit is the share of the store's limit from which on a transfer was held up by that: what goes before and
// after the bodies takes the rest, and on a machine that does much else the store is not always on time.
const nearLimit = 0.8

// orStoreLimit is what held a transfer up: the limit that the demo's store was started with, where the transfer came
// up to it, since no setting changes anything about that, and did not wait for the instrument for long; else what was
// found.
func orStoreLimit(d *rundoc.BandwidthDetail, t rundoc.NamedTransfer, found []rundoc.Limit) []rundoc.Limit {
	limit := float64(d.Store.LimitBytesPerS)
	if limit <= 0 || t.BytesPerS < nearLimit*limit || d.OwnShare(t.Transfer) > rundoc.MaxOwnTimeBelieved {
		return found
	}
	return []rundoc.Limit{{Transfer: t.Name, What: "the demo server's limit", Share: min(1, t.BytesPerS/limit),
		Message: fmt.Sprintf("the demo server is limited to %g MB/s; remove the limit with --target-flag bandwidth=0",
			limit/1e6)}}
}

// work is the time of the requests that moved the bodies.
type work struct {
	requests                 int64
	setup, move, wait, total time.Duration

	paused   time.Duration // before retries
	slowDown int64         // retries because the store asked to slow down
}

// all is the time of the requests and of the pauses before their retries.
func (w *work) all() time.Duration { return w.total + w.paused }

// bodies adds up the requests that moved most of their bytes in this direction.
func bodies(d *rundoc.BandwidthDetail, upload bool) (w work) {
	for _, r := range d.Requests {
		moved, other, move := r.BytesReceived, r.BytesSent, r.ReceiveNS
		if upload {
			moved, other, move = r.BytesSent, r.BytesReceived, r.SendNS
		}
		// The small bodies are the protocol's: lists, errors, the completion of an upload.
		if moved <= other || moved < r.Attempts*min(d.BlockBytes, d.SizeBytes, 64<<10) {
			continue
		}
		w.requests += r.Attempts
		w.setup += time.Duration(r.SetupNS)
		w.move += time.Duration(move)
		w.wait += time.Duration(r.WaitNS)
		w.total += time.Duration(r.TotalNS)
		w.paused += time.Duration(r.PausedNS)
		for _, c := range r.Causes {
			if c.Cause == store.SlowDown {
				w.slowDown += c.Count
			}
		}
	}
	return w
}

// shareAnswers is what to try where a file is one request, or as many as there are places.
const shareAnswers = ": use larger files, or several at the same time (--streams)"

func uploadLimits(d *rundoc.BandwidthDetail, t *Transfer) []rundoc.Limit {
	l := limits{transfer: "upload", t: t, w: bodies(d, true), still: stillOf(d, d.Upload, d.Upload.Standstill)}
	l.data("generation", "generating data took %s of the time: this machine is the bottleneck; try --data zero, "+
		"--checksum none or fewer --streams")
	if l.w.requests == 0 {
		l.store("the store client took %s of the time to accept blocks and to close files")
		return l.sorted()
	}
	active := int64(d.Store.ActiveParts)
	inFlight := float64(l.w.total) / float64(max(t.StreamTime, 1)) // of a stream
	many := d.Store.PartBytes > 0 && d.SizeBytes > d.Store.PartBytes*max(active, 1)
	places, bounded := d.Store.PartsInFlight(d.Streams)
	full := many && inFlight > 0.8*places
	answer := "waiting for responses of the store took %s of the request time"
	switch {
	case full && bounded:
		answer += fmt.Sprintf(", and all %d part slots that a setting such as fs.s3a.threads.max allows were nearly "+
			"always in use: raise that setting", d.Store.AtOnce)
	case full:
		answer += fmt.Sprintf(", and all %d part slots were nearly always in use: try --active-blocks %d",
			active, 2*active)
	case many:
		answer += fmt.Sprintf(": try larger parts, for example --part-size %s", setting.FormatSize(2*d.Store.PartBytes))
	default: // one request, or as many as there are places: none waits for another
		answer += shareAnswers
	}
	l.share("store", l.w.wait, answer)
	network := "sending took %s of the request time: the network, or how fast the store accepts data, is the bottleneck"
	if full && !bounded {
		network += fmt.Sprintf("; if a single connection is slow, add connections with --active-blocks %d",
			2*d.Store.ActiveParts)
	}
	l.share("network", l.w.move, network)
	l.connections()
	l.retries()
	l.pauses("creating and completing files")
	l.standstills()
	return l.sorted()
}

func downloadLimits(d *rundoc.BandwidthDetail, t *Transfer, policy Policy) []rundoc.Limit {
	l := limits{transfer: "download", t: t, w: bodies(d, false), still: stillOf(d, d.Download, d.Download.Standstill)}
	l.data("checksum", "comparing the data took %s of the time: this machine is the bottleneck; try --checksum none")
	if l.w.requests == 0 {
		l.store("the store client took %s of the time to open and to read files")
		return l.sorted()
	}
	answer, network := "", ""
	switch {
	case d.SizeBytes <= d.BlockBytes: // a range is a block: there is but one, whatever the policy
		answer = shareAnswers
	case policy == WholeFile || policy == Sequential || policy == Random:
		network = "; --policy prefetch reads several ranges in parallel"
		answer = network
	}
	l.share("store", l.w.wait, "waiting for responses of the store took %s of the request time"+answer)
	l.share("network", l.w.move,
		"receiving took %s of the request time: the network, or how fast the store sends data, is the bottleneck"+network)
	l.connections()
	l.retries()
	l.pauses("opening files")
	l.standstills()
	return l.sorted()
}

// limits are those of one transfer.
type limits struct {
	transfer string
	t        *Transfer
	w        work
	still    still
	list     []rundoc.Limit
}

func (l *limits) add(what string, share float64, message string) {
	if share < leastLimit {
		return
	}
	share = min(share, 1)
	l.list = append(l.list, rundoc.Limit{
		Transfer: l.transfer, What: what, Share: share,
		Message: fmt.Sprintf(message, fmt.Sprintf("%.0f%%", 100*share)),
	})
}

// busy is the share of the streams' time that was not spent waiting for the instrument.
func (l *limits) busy() float64 {
	if l.t.StreamTime <= 0 {
		return 0
	}
	return 1 - min(1, float64(l.t.DataTime)/float64(l.t.StreamTime))
}

func (l *limits) data(what, message string) {
	if l.t.StreamTime > 0 {
		l.add(what, 1-l.busy(), message)
	}
}

func (l *limits) store(message string) { l.add("store", l.busy(), message) }

// carried is the share of the streams' time, at most, in which bodies were on their way.
func (l *limits) carried() float64 {
	if l.t.StreamTime <= 0 {
		return 0
	}
	return min(l.busy(), float64(l.w.all())/float64(l.t.StreamTime))
}

// share adds a stage of the requests.
func (l *limits) share(what string, stage time.Duration, message string) {
	if l.w.total > 0 {
		l.add(what, l.carried()*float64(stage)/float64(l.w.all()), message)
	}
}

// retries adds the pauses before retries.
func (l *limits) retries() {
	message := "pauses before retries took %s of the request time: check the causes of the retries"
	if l.w.slowDown > 0 {
		message = "the store asked to slow down (" +
			units.Count(l.w.slowDown, "retry", "retries") + "), and the pauses before retries took %s of the request time: " +
			"the request limit of the store is the bottleneck; try fewer --streams or --active-blocks, or larger parts"
	}
	l.share("retries", l.w.paused, message)
}

// connections adds the wait for connections.
func (l *limits) connections() {
	l.share("connections", l.w.setup,
		"waiting for connections took %s of the request time: check name resolution, TLS and proxies")
}

// pauses adds the time in which no body was on its way.
func (l *limits) pauses(other string) {
	l.add("pauses", l.busy()-l.carried(),
		"no data request was in flight in %s of the time, which was spent on "+other+
			", pauses before retries, and work of the client; larger files reduce this share")
}

func (l *limits) sorted() []rundoc.Limit {
	slices.SortStableFunc(l.list, func(a, b rundoc.Limit) int { return cmp.Compare(b.Share, a.Share) })
	return l.list
}
