package rundoc

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestEdgesOfRooms(t *testing.T) {
	type R = *RoomFigures
	// of is a run with two messages, each in a room of its own.
	of := func(edit func(R)) Run {
		rooms := []RoomFigures{{Room: "a", OK: 1, RatePerS: 100}, {Room: "b", OK: 1, RatePerS: 100}}
		edit(&rooms[1])
		return Run{Detail: &ChatDetail{ByRoom: rooms}, Operations: []Operation{{OK: 2, RatePerS: 200}}}
	}
	one := Run{Detail: &ChatDetail{ByRoom: []RoomFigures{{OK: 1}}}, Operations: []Operation{{OK: 2}}}
	const figures, all = `the figures of the room "b" make no sense together`, "but the operations"
	hold(t, func(j *judgement) { j.rooms("chat", j.run.Chat().ByRoom) }, []edge{
		{"no rooms", Run{Detail: new(ChatDetail), Operations: []Operation{{OK: 2}}}, ""},
		{"sound", of(func(R) {}), ""},
		{"one room of two", one, "chat: the rooms have 1 ok messages and 0/s, but the operations 2"},
		{"as long", of(func(r R) { r.P50NS, r.P99NS = 5, 5 }), ""},
		{"p50 longer", of(func(r R) { r.P50NS, r.P99NS = 6, 5 }), figures},
		{"p50 longer by a nanosecond of one", of(func(r R) { r.P50NS, r.P99NS = 2, 1 }), figures},
		{"no p99", of(func(r R) { r.P50NS = 6 }), ""},
		{"failed below none", of(func(r R) { r.Failed = -1 }), figures},
		{"a mean below none", of(func(r R) { r.MeanNS = -1 }), figures},
		{"another message", of(func(r R) { r.OK = 2 }), "the rooms have 3 ok messages and 200/s, " + all},
		{"a rate that is rounded", of(func(r R) { r.RatePerS += 1e-4 }), ""},
		{"another rate", of(func(r R) { r.RatePerS += 1e-3 }), all},
	})
	for _, tt := range []struct {
		times, ok, want int64
	}{{0, 5, 7}, {1, 5, 1}, {2, 5, 2}} {
		if got := (&RoomFigures{Times: tt.times, OK: tt.ok, Failed: 2}).Counted(); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	for text, want := range map[string][2]int64{`19`: {0, 0}, `20`: {1, 0}, `999`: {1, 0}, `1000`: {1, 2}} {
		var r RoomFigures
		if err := json.Unmarshal([]byte(`{"times":`+text+`,"p50_ns":1,"p99_ns":2}`), &r); err != nil || r.P50NS != want[0] || r.P99NS != want[1] {
			t.Errorf("of %s times: %+v, %v", text, r, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"times":"x"}`), new(RoomFigures)); err == nil {
		t.Error("no error of a room that cannot be read")
	}
}

func TestEdgesOfTheSlowestMessages(t *testing.T) {
	type T = *MessageTail
	// of are the ten slowest of 1,000 messages, of which one was retried, two had reconnected, and seven had nothing of that.
	times := timesOf(rising(1000)...)
	of := func(edits ...func(T)) Run {
		tail := &MessageTail{FromNS: 990, Messages: 11, Retried: 1, Reconnected: 3, Other: 8}
		for _, edit := range edits {
			edit(tail)
		}
		return Run{Detail: &ChatDetail{Tail: tail}, Operations: []Operation{{OK: 1000, Retries: 1, ResponseTime: times}}}
	}
	few := of()
	few.Operations[0].ResponseTime = timesOf(rising(10)...)
	all := of(func(m T) { m.Messages, m.Other = 1000, 997 })
	marks := func(retried, reconnected, waited, own, other int64) Run {
		return of(func(m T) {
			m.Retried, m.Reconnected, m.Waited, m.OwnDelay, m.Other = retried, reconnected, waited, own, other
		})
	}
	const mark, p99 = "of 11 slowest messages", "or more, but the p99 of 1000 is 990 ns"
	law := func(j *judgement) { j.run.Chat().Tail.laws(j, "chat") }
	hold(t, law, []edge{
		{"none", Run{Detail: new(ChatDetail)}, ""},
		{"sound", of(), ""},
		{"each with one mark", marks(1, 2, 3, 5, 0), ""},
		{"more without a mark than are left", marks(1, 2, 3, 4, 0), mark + " 0 have no mark, and 1, 2, 3 and 4"},
		{"fewer than one mark has", marks(0, 3, 0, 0, 9), mark + " 9 have no mark"},
		{"all with both marks", marks(0, 3, 3, 0, 8), ""},
		{"waited below none", marks(1, 3, -1, 0, 8), mark},
		{"other below none", of(func(m T) { m.Other, m.Reconnected, m.Waited = -1, 6, 6 }), mark},
		{"from another time", of(func(m T) { m.FromNS = 991 }), p99},
		{"of too few", few, "but the p99 of 10 is absent"},
		{"all of them", all, ""},
		{"more than all", of(func(m T) { m.Messages, m.Other = 1001, 998 }), p99},
		{"a hundredth", of(func(m T) { m.Messages, m.Other = 10, 7 }), p99},
		{"one more retried", of(func(m T) { m.Retried = 2 }), "of which 2 were retried"},
	})
	unread := of(func(m T) { m.FromNS = 991 })
	if got := says(&unread, func(j *judgement) {
		j.totalErr = errors.New("unreadable")
		law(j)
	}); len(got) > 0 {
		t.Errorf("of times that cannot be read: %q", got)
	}
}

// rising are the times of 1 ns to n.
func rising(n int64) (times []int64) {
	for ns := range n {
		times = append(times, ns+1)
	}
	return times
}

func TestEdgesOfWebSocket(t *testing.T) {
	type D = *WSDetail
	of := func(edit func(D)) Run {
		d := new(WSDetail)
		edit(d)
		return Run{Detail: d}
	}
	const negative, untaken = "ws: a count is negative", "ws: no rule takes"
	hold(t, func(j *judgement) { j.run.WS().laws(j) }, []edge{
		{"no detail", Run{}, ""},
		{"sound", of(func(D) {}), ""},
		{"beats below none", of(func(d D) { d.Beats = -1 }), negative},
		{"unreadable below none", of(func(d D) { d.Replies.Unreadable = -1 }), negative},
		{"all deliveries the senders' own", of(func(d D) { d.Deliveries, d.Fanout = 1, &Fanout{SendersOwn: 1} }), ""},
		{"more of the senders' own", of(func(d D) { d.Fanout = &Fanout{SendersOwn: 1} }), "ws: the senders got 1 of their own messages, but 0"},
		{"all untaken", of(func(d D) { d.Untaken, d.Replies.Unmatched = 1, 1 }), ""},
		{"all untaken, with the first", of(func(d D) { d.Untaken, d.Replies.Unmatched, d.UntakenExample = 1, 1, "x" }), ""},
		{"more untaken", of(func(d D) { d.Untaken = 1 }), untaken + " 1 messages, but 0 are unmatched"},
		{"an example of none", of(func(d D) { d.UntakenExample = "x" }), untaken + ` 0 messages, but 0 are unmatched, and the example is "x"`},
		{"rooms", of(func(d D) { d.ByRoom = []RoomFigures{{OK: 1}} }), "ws: the rooms have 1"},
	})
	chat, ws := new(ChatDetail), new(WSDetail)
	if (&Run{Detail: chat}).Chat() != chat || (&Run{Detail: ws}).WS() != ws || !chat.alike() || !ws.alike() {
		t.Error("they are what they are, and their messages are alike")
	}
	if WorkloadChat != "chat" || WorkloadWS != "ws" { // they stand in documents that others read
		t.Errorf("the workloads are %q and %q", WorkloadChat, WorkloadWS)
	}
	bad := func(d Detail) Run { return Run{Detail: d, Ledger: lasts(second)} }
	f := &Fanout{ReadLate: 1, Late: 1}
	hold(t, func(j *judgement) { j.run.Detail.doubts(j) }, []edge{
		{"a chat", bad(chat), ""}, {"ws", bad(ws), ""}, {"no chat", bad((*ChatDetail)(nil)), ""}, {"no ws", bad((*WSDetail)(nil)), ""},
		{"a chat with a late fan-out", bad(&ChatDetail{Fanout: f}), "1 of 1 late deliveries"},
		{"ws with a late fan-out", bad(&WSDetail{Fanout: f}), "1 of 1 late deliveries"},
	})
	hold(t, func(j *judgement) { j.run.Chat().laws(j) }, []edge{
		{"no chat", Run{}, ""}, {"a chat with an impossible fan-out", bad(&ChatDetail{Fanout: &Fanout{Late: -1}}), "a count is negative"},
	})
}

func TestEdgesOfWebSocketWarnings(t *testing.T) {
	stamped := &Fanout{Taken: 1}
	lost := &SamplesFile{Lost: 1}
	untaken := func(n int64, example string, preset bool) *WSDetail {
		return &WSDetail{Untaken: n, UntakenExample: example, Protocol: WSProtocol{Name: "p", Preset: preset}}
	}
	timeout := func(cause string) Operation {
		return Operation{Causes: []Cause{{Cause: "reset", Count: 5}, {Cause: cause, Count: 1}}}
	}
	const none = WarnNoRule + " 1 message came that no rule of "
	for _, tt := range []struct {
		name  string
		d     Detail
		total Operation
		want  string
	}{
		{"no chat", (*ChatDetail)(nil), Operation{}, ""}, {"no ws", (*WSDetail)(nil), Operation{}, ""},
		{"a chat", new(ChatDetail), Operation{}, ""}, {"ws", new(WSDetail), timeout("timeout"), ""},
		{"a chat with samples lost", &ChatDetail{Samples: lost}, Operation{}, WarnSamplesLost},
		{"ws with samples lost", &WSDetail{Samples: lost}, Operation{}, WarnSamplesLost},
		{"a chat with own stamps", &ChatDetail{Fanout: stamped}, Operation{}, WarnOwnStamps},
		{"ws with own stamps", &WSDetail{Fanout: stamped}, Operation{}, WarnOwnStamps},
		{"no rule, and all answered", untaken(1, "", false), Operation{}, ""},
		{"no rule, and one timed out", untaken(1, "", false), timeout("timeout"), none + "p takes. See each frame, and which rule takes it: " +
			"plimsoll ws --check p ws://x"},
		{"no rule, and one timed out by its own rule", untaken(1, "", true), timeout("own-timeout"), none + "the preset p takes. See"},
		{"no rule, and another cause", untaken(1, "", true), timeout("other"), ""},
		{"no rule, with an example", untaken(2, "hello", true), timeout("timeout"), WarnNoRule + " 2 messages came that no rule of the preset p " +
			"takes; the first: hello. See"},
	} {
		run := Run{Detail: tt.d, Target: Target{URL: "ws://x"}}
		holdWarning(t, tt.name, warned(&run, &tt.total, tt.d.warn), tt.want)
	}
	for want, total := range map[int64]Operation{0: {}, 1: timeout("timeout"), 2: {Unfinished: 2}} {
		if got := unanswered(&total); got != want {
			t.Errorf("%d unanswered, want %d", got, want)
		}
	}
}
