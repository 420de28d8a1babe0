package rundoc

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
)

// CauseLostDelivery is the cause of the failure of a message that a receiver was missing when its time was over.
const CauseLostDelivery = "lost-delivery"

// The thresholds for fan-out. Shares are of 1.
const (
	// MaxReadLate is how long deliveries may be read after they came, as a share of the receivers' time, and
	// MinReadLateNS what is no matter in any case. Of the p50 and the median receiver it is a reason of the verdict, of
	// the p95 and the last one a warning.
	MaxReadLate   = 0.5
	MinReadLateNS = 5_000_000
	// MaxOwnStamps is the share of the deliveries that may have a stamp of ours where the kernel stamps the others.
	MaxOwnStamps = 0.01
	// MaxAway is the share of what was due whose receivers may be away before it is told. From MaxReceiversAway on it
	// is a reason of the verdict.
	MaxAway          = 0.01
	MaxReceiversAway = 0.2
	// MaxLosers is how many receivers are listed at most.
	MaxLosers = 10
)

// Fanout is what became of messages that were to reach every receiver of their room. It covers those of the window
// whose fate is known, and their deliveries; but of foreign ones, which nobody knows more of, all are counted.
type Fanout struct {
	Receivers int64 `json:"receivers"`
	Rooms     int64 `json:"rooms"`
	// Messages are those that were completed, in time at each receiver that was there, and those that failed. Nobody
	// counts those of them for which no receiver was left.
	Messages  int64 `json:"messages"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Nobody    int64 `json:"nobody,omitempty"`
	// Withdrawn messages were refused, or cut off from their sender: whether they should have been delivered is not
	// known. They, and their deliveries, are in no other count but in Taken, and in those of stamps and of lateness.
	Withdrawn           int64 `json:"withdrawn"`
	WithdrawnDeliveries int64 `json:"withdrawn_deliveries,omitempty"`

	Due       int64 `json:"due"` // a message for each receiver of its room
	Delivered int64 `json:"delivered"`
	Lost      int64 `json:"lost"` // the receiver was there, and had it not when the message's time was over
	Away      int64 `json:"away"` // the receiver had no connection when it was sent, or lost it before it came

	Duplicated int64 `json:"duplicated"` // the receiver had it already
	Misordered int64 `json:"misordered"` // behind a later message of the same client
	Foreign    int64 `json:"foreign"`    // not of this run
	OtherRoom  int64 `json:"other_room"` // of a room that the receiver is not in
	Late       int64 `json:"late"`       // counted as lost or away, and came after all
	ReadLate   int64 `json:"read_late"`  // of the late ones: were at this machine in time, and were read too late
	SendersOwn int64 `json:"senders_own"`
	Absences   int64 `json:"absences"` // how often a receiver lost its connection

	// Taken is what the receivers counted as delivered on their own side.
	Taken         int64   `json:"taken"`
	KernelStamped int64   `json:"kernel_stamped"`
	OwnStamped    int64   `json:"own_stamped"`
	OwnLateness   Summary `json:"own_lateness"` // from a delivery's arrival, by the kernel's stamp, to its reading

	// When the first, the median and the last receiver had each message, since its intended start. Of an even number of
	// receivers the median is the earlier of the two. Receivers that it is lost for come behind all others, with the time
	// that it had lasted when its time was over.
	First  Summary `json:"first"`
	Median Summary `json:"median"`
	Last   Summary `json:"last"`

	// Losers are the receivers that lost most, of ReceiversLost that lost any.
	Losers        []Loser `json:"losers,omitempty"`
	ReceiversLost int64   `json:"receivers_lost,omitempty"`
}

// Loser is a receiver that messages were lost for.
type Loser struct {
	Receiver int64 `json:"receiver"` // from 1
	Lost     int64 `json:"lost"`
	Away     int64 `json:"away"`
}

// Proof is the account of the deliveries, in a line.
func (f *Fanout) Proof() string {
	messages := units.Count(f.Messages, "message", "messages")
	receivers := units.Count(f.Receivers, "receiver", "receivers")
	from := messages + " × " + receivers + " ="
	if f.Rooms != 1 {
		from = messages + " to " + receivers + " in " + units.Count(f.Rooms, "room", "rooms") + ":"
	}
	text := fmt.Sprintf("%s %s due = %s delivered + %s lost + %s away; %s duplicated, %s misordered, %s foreign", from,
		units.Number(f.Due), units.Number(f.Delivered), units.Number(f.Lost), units.Number(f.Away),
		units.Number(f.Duplicated), units.Number(f.Misordered), units.Number(f.Foreign))
	if f.OtherRoom > 0 {
		text += ", " + units.Number(f.OtherRoom) + " of another room"
	}
	return text
}

// laws of fan-out:
//
//   - Each delivery that was due was made, or lost, or its receiver was away; and the receivers counted as many.
//   - A message is due for each receiver of its room, and was completed or failed, the latter if any was lost.
//   - What ended ok was completed, and each message is an attempt of an operation.
//   - Each message for which a receiver was left has its three times, which follow each other.
//   - Each delivery was stamped once, and how late it was read is known where the kernel did it.
//   - Those who lost most lost no more than all.
func (f *Fanout) laws(j *judgement) {
	if f == nil {
		return
	}
	if slices.Min([]int64{f.Receivers, f.Rooms, f.Messages, f.Completed, f.Failed, f.Nobody, f.Withdrawn,
		f.WithdrawnDeliveries, f.Due, f.Delivered, f.Lost, f.Away, f.Duplicated, f.Misordered, f.Foreign, f.OtherRoom,
		f.Late, f.ReadLate, f.SendersOwn, f.Absences, f.Taken, f.KernelStamped, f.OwnStamped, f.ReceiversLost}) < 0 {
		j.broken("fan-out: a count is negative")
		return
	}
	f.deliveryLaws(j)
	f.messageLaws(j)
	f.timeLaws(j)
	f.loserLaws(j)
}

func (f *Fanout) deliveryLaws(j *judgement) {
	if ended := sum(f.Delivered, f.Lost, f.Away); ended != float64(f.Due) {
		j.broken("fan-out: %d deliveries were due, but %d delivered + %d lost + %d away are %.0f", f.Due, f.Delivered,
			f.Lost, f.Away, ended)
	}
	all := float64(f.Messages) * float64(f.Receivers)
	if f.Rooms == 1 && all != float64(f.Due) || all < float64(f.Due) {
		j.broken("fan-out: %d messages × %d receivers are %.0f, but %d deliveries were due", f.Messages, f.Receivers,
			all, f.Due)
	}
	if sum(f.Delivered, f.WithdrawnDeliveries) != float64(f.Taken) {
		j.broken("fan-out: the receivers counted %d deliveries, but the messages %d, and %d of withdrawn ones", f.Taken,
			f.Delivered, f.WithdrawnDeliveries)
	}
	if f.Misordered > 0 && sum(f.Taken, f.Late) <= float64(f.Misordered) || f.ReadLate > f.Late {
		j.broken("fan-out: %d misordered and %d late deliveries, %d of them read too late, cannot be of %d",
			f.Misordered, f.Late, f.ReadLate, f.Taken)
	}
}

func (f *Fanout) messageLaws(j *judgement) {
	if sum(f.Completed, f.Failed) != float64(f.Messages) || f.Nobody > f.Messages {
		j.broken("fan-out: %d messages were completed and %d failed, %d without a receiver, but there were %d", f.Completed,
			f.Failed, f.Nobody, f.Messages)
	}
	if float64(f.Lost) > float64(f.Failed)*float64(f.Receivers) || f.Withdrawn == 0 && f.WithdrawnDeliveries > 0 {
		j.broken("fan-out: %d deliveries were lost and %d were of withdrawn messages, but %d messages failed and %d were "+
			"withdrawn", f.Lost, f.WithdrawnDeliveries, f.Failed, f.Withdrawn)
	}
	t := &j.total
	if f.Completed < t.OK || sum(f.Messages, f.Withdrawn) > float64(t.Attempts) {
		j.broken("fan-out: %d messages were completed, %d failed and %d were withdrawn, but the operations had %d "+
			"attempts, and %d ended ok", f.Completed, f.Failed, f.Withdrawn, t.Attempts, t.OK)
	}
	for _, c := range t.Causes {
		if c.Cause == CauseLostDelivery && c.Count > f.Failed {
			j.broken("fan-out: %d attempts failed by lost deliveries, but %d messages", c.Count, f.Failed)
		}
	}
}

func (f *Fanout) timeLaws(j *judgement) {
	if sum(f.KernelStamped, f.OwnStamped) != float64(f.Taken) || f.OwnLateness.Count != f.KernelStamped {
		j.broken("fan-out: of %d deliveries the kernel stamped %d and the generator %d, and of %d it is known how "+
			"late they were read", f.Taken, f.KernelStamped, f.OwnStamped, f.OwnLateness.Count)
	}
	j.summary("own lateness of deliveries", &f.OwnLateness)
	timed := f.Messages - f.Nobody
	for _, t := range f.Times() {
		j.summary("time until the "+t.Name+" receiver", t.Summary)
		if t.Summary.Count != timed {
			j.broken("fan-out: the time until the %s receiver counts %d messages, but %d had one", t.Name,
				t.Summary.Count, timed)
		}
	}
	j.notBehind("first", &f.First, "median", &f.Median)
	j.notBehind("median", &f.Median, "last", &f.Last)
}

// notBehind checks that one of a message's times is never longer than another.
func (j *judgement) notBehind(one string, a *Summary, other string, b *Summary) {
	if a.Count != b.Count {
		return // which is another law's
	}
	check := func(what string, earlier, later int64) {
		if float64(earlier) > 2+(1+bucketTolerance)*float64(later) {
			j.broken("fan-out: the %s of the %s receiver is %s, and that of the %s %s", what, one,
				units.Duration(earlier), other, units.Duration(later))
		}
	}
	check("minimum", a.MinNS, b.MinNS)
	check("mean", a.MeanNS, b.MeanNS)
	check("maximum", a.MaxNS, b.MaxNS)
	later := b.percentiles()
	for i, p := range a.percentiles() {
		if x, y := *p.value, *later[i].value; x != nil && y != nil {
			check(p.name, *x, *y)
		}
	}
}

func (f *Fanout) loserLaws(j *judgement) {
	listed := int64(len(f.Losers))
	if listed > MaxLosers || listed > f.ReceiversLost || f.ReceiversLost > f.Receivers ||
		(f.ReceiversLost > 0) != (f.Lost > 0) {
		j.broken("fan-out: %d receivers are listed of %d that lost %d deliveries, of %d", listed, f.ReceiversLost,
			f.Lost, f.Receivers)
		return
	}
	var theirs float64
	for i := range f.Losers {
		l := &f.Losers[i]
		behind := i > 0 && l.Lost > f.Losers[i-1].Lost
		if behind || l.Lost <= 0 || l.Away < 0 || l.Receiver < 1 || l.Receiver > f.Receivers ||
			sum(l.Lost, l.Away) > float64(f.Messages) {
			j.broken("fan-out: receiver %d of %d lost %d deliveries and was away for %d, of %d messages", l.Receiver,
				f.Receivers, l.Lost, l.Away, f.Messages)
		}
		theirs += float64(l.Lost)
	}
	if theirs > float64(f.Lost) || listed == f.ReceiversLost && theirs != float64(f.Lost) {
		j.broken("fan-out: the %d receivers that are listed lost %.0f deliveries, but all %d lost %d", listed, theirs,
			f.ReceiversLost, f.Lost)
	}
}

// sum is exact below 2^53, and does not overflow.
func sum(counts ...int64) (all float64) {
	for _, n := range counts {
		all += float64(n)
	}
	return all
}

// FanoutTime is one of the times of fan-out.
type FanoutTime struct {
	Name    string // "first", "median" or "last"
	Summary *Summary
}

// Times are those until the first, the median and the last receiver.
func (f *Fanout) Times() []FanoutTime {
	return []FanoutTime{{"first", &f.First}, {"median", &f.Median}, {"last", &f.Last}}
}

// doubts: the figures are those of fewer receivers, or of a generator that was behind.
func (f *Fanout) doubts(j *judgement) {
	if f == nil {
		return
	}
	const less = "Use fewer --receivers, or a machine with more CPUs."
	if f.ReadLate > 0 {
		j.say("%s of %s late deliveries arrived at this machine in time but were read too late, so the generator caused "+
			"these losses. %s", units.Number(f.ReadLate), units.Number(f.Late), less)
	}
	if median, late := f.Median.P50NS, f.OwnLateness.P50NS; behind(late, median) {
		j.say("Half of the deliveries were read %s or more after they had arrived (median receiver p50: %s), so the "+
			"receivers are slower than real ones. %s", units.Duration(*late), units.Duration(*median), less)
	}
	if f.KernelStamped > 0 && float64(f.OwnStamped) > MaxOwnStamps*float64(f.Taken) {
		j.say("Of %s deliveries %s (limit %s) have no kernel timestamp; their times end when the generator read them, "+
			"which is later.", units.Number(f.Taken), units.Number(f.OwnStamped), units.Percent3(MaxOwnStamps))
	}
	if share := f.awayShare(); share > MaxReceiversAway {
		j.say("%s of the deliveries were for receivers without a connection (limit %s): the result is that of fewer "+
			"receivers.", units.Percent3(share), units.Percent3(MaxReceiversAway))
	}
}

// behind reports whether deliveries were read late enough to matter beside the receivers' time.
func behind(late, time *int64) bool {
	return late != nil && time != nil && *late > MinReadLateNS && float64(*late) > MaxReadLate*float64(*time)
}

func (f *Fanout) awayShare() float64 {
	if f.Due == 0 {
		return 0
	}
	return float64(f.Away) / float64(f.Due)
}

func (f *Fanout) warn(w *warnings) {
	if f == nil {
		return
	}
	if f.Taken > 0 && f.KernelStamped == 0 {
		w.add(WarnOwnStamps, "No delivery has a kernel timestamp: the receivers' times end when the generator read the "+
			"message, which is later with more receivers.")
	}
	if late := f.OwnLateness.P95NS; behind(late, f.Last.P95NS) {
		w.add(WarnReadLate, "One delivery in twenty was read %s or more after it had arrived. The receivers' times exclude "+
			"that, by kernel timestamps; the response times include it.",
			units.Duration(*late))
	}
	if share := f.awayShare(); share > MaxAway && share <= MaxReceiversAway {
		w.add(WarnReceiversAway, "%s of the deliveries were for receivers without a connection: the result is that of "+
			"fewer receivers.", units.Percent3(share))
	}
}
