package rundoc_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What is told of the slowest messages agrees with itself, and with the times of all.
func TestJudgeChecksSlowestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(*rundoc.MessageTail)
		broken bool
	}{
		"sound":                         {func(*rundoc.MessageTail) {}, false},
		"each with one mark":            {func(s *rundoc.MessageTail) { s.Other = 14 }, false},
		"each with all":                 {func(s *rundoc.MessageTail) { s.Other = 26 }, false},
		"more with a mark than marks":   {func(s *rundoc.MessageTail) { s.Other = 13 }, true},
		"fewer with a mark than of one": {func(s *rundoc.MessageTail) { s.Other = 27 }, true},
		"one retried too many":          {func(s *rundoc.MessageTail) { s.Retried = 11 }, true},
		"fewer than none":               {func(s *rundoc.MessageTail) { s.Waited = -1 }, true},
		"another time than the p99":     {func(s *rundoc.MessageTail) { s.FromNS++ }, true},
		"fewer than a hundredth":        {func(s *rundoc.MessageTail) { s.Messages, s.Other = 29, 19 }, true},
		"more than there are":           {func(s *rundoc.MessageTail) { s.Messages, s.Other = 2997, 2987 }, true},
	} {
		run := soundRun(t)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		tail := &rundoc.MessageTail{FromNS: *total.ResponseTime.P99NS, Messages: 36, Retried: 10, Reconnected: 9, Waited: 1,
			OwnDelay: 2, Other: 20}
		c.edit(tail)
		run.Detail = &rundoc.ChatDetail{Tail: tail}
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if broken := strings.Contains(reasons, "invariant violated: chat"); broken != c.broken {
			t.Errorf("%s: %q", name, reasons)
		}
	}
}

// What a run over WebSocket tells of what came agrees with itself, and with what became of its messages.
func TestJudgeChecksWebSocketDetail(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(d *rundoc.WSDetail)
		want string // "": it is sound
	}{
		"sound": {func(*rundoc.WSDetail) {}, ""},
		"more of their own than came": {func(d *rundoc.WSDetail) { d.Fanout = &rundoc.Fanout{SendersOwn: d.Deliveries + 1} },
			"of their own messages"},
		"no rooms":                {func(d *rundoc.WSDetail) { d.ByRoom = nil }, ""},
		"all unmatched untaken":   {func(d *rundoc.WSDetail) { d.Untaken = 3 }, ""},
		"none untaken":            {func(d *rundoc.WSDetail) { d.Untaken, d.UntakenExample = 0, "" }, ""},
		"more untaken than came":  {func(d *rundoc.WSDetail) { d.Untaken = 4 }, "4 messages matched no rule, but 3 are unmatched"},
		"an example of none":      {func(d *rundoc.WSDetail) { d.Untaken = 0 }, "and the example is"},
		"late below none":         {func(d *rundoc.WSDetail) { d.Replies.Late = -1 }, "a count is negative"},
		"duplicate below none":    {func(d *rundoc.WSDetail) { d.Replies.Duplicate = -1 }, "a count is negative"},
		"reordered below none":    {func(d *rundoc.WSDetail) { d.Replies.Reordered = -1 }, "a count is negative"},
		"unreadable below none":   {func(d *rundoc.WSDetail) { d.Replies.Unreadable = -1 }, "a count is negative"},
		"unmatched below none":    {func(d *rundoc.WSDetail) { d.Replies.Unmatched = -1 }, "a count is negative"},
		"heartbeats below none":   {func(d *rundoc.WSDetail) { d.Heartbeats = -1 }, "a count is negative"},
		"beats below none":        {func(d *rundoc.WSDetail) { d.Beats = -1 }, "a count is negative"},
		"deliveries below none":   {func(d *rundoc.WSDetail) { d.Deliveries = -1 }, "a count is negative"},
		"untaken below none":      {func(d *rundoc.WSDetail) { d.Untaken = -1 }, "a count is negative"},
		"another room's messages": {func(d *rundoc.WSDetail) { d.ByRoom[0].OK-- }, "the rooms have"},
		"another room's rate":     {func(d *rundoc.WSDetail) { d.ByRoom[0].RatePerS++ }, "the rooms have"},
		"a room out of order":     {func(d *rundoc.WSDetail) { d.ByRoom[0].P50NS, d.ByRoom[0].P99NS = 3, 2 }, "are inconsistent"},
		"a tail out of order":     {func(d *rundoc.WSDetail) { d.Tail.Other = 27 }, "slowest messages"},
	} {
		run := soundRun(t)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		d := &rundoc.WSDetail{
			Replies: rundoc.Replies{Unmatched: 3}, Untaken: 2, UntakenExample: "42[1]", Heartbeats: 1, Beats: 1, Deliveries: 1,
			ByRoom: []rundoc.RoomFigures{{Room: "1", OK: total.OK, RatePerS: total.RatePerS, P50NS: 1, P99NS: 2}},
			Tail: &rundoc.MessageTail{FromNS: *total.ResponseTime.P99NS, Messages: 36, Retried: 10, Reconnected: 9, Waited: 1,
				OwnDelay: 2, Other: 20},
		}
		c.edit(d)
		run.Detail = d
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if broken := strings.Contains(reasons, "invariant violated: ws"); broken != (c.want != "") || !strings.Contains(reasons, c.want) {
			t.Errorf("%s: %q, want %q", name, reasons, c.want)
		}
	}
}

// A server that answers, but with nothing that a rule takes, is told from a slow one, where messages waited in vain.
func TestWarnsOfMessagesWithoutRule(t *testing.T) {
	const first = "2 messages matched no rule of socket.yaml; first: 42[1]. To see which rule matches which frame, run: " +
		"plimsoll ws --inspect socket.yaml ws://host/"
	for name, c := range map[string]struct {
		edit func(*rundoc.Run, *rundoc.WSDetail)
		want string
	}{
		"timeouts":     {func(r *rundoc.Run, _ *rundoc.WSDetail) { timedOut(r, "timeout") }, first},
		"own timeouts": {func(r *rundoc.Run, _ *rundoc.WSDetail) { timedOut(r, "own-timeout") }, first},
		"unfinished":   {func(r *rundoc.Run, _ *rundoc.WSDetail) { r.Operations[0].Unfinished = 1 }, first},
		"all answered": {func(*rundoc.Run, *rundoc.WSDetail) {}, ""},
		"only refused": {func(r *rundoc.Run, _ *rundoc.WSDetail) { timedOut(r, "rejected") }, ""},
		"all taken":    {func(r *rundoc.Run, d *rundoc.WSDetail) { timedOut(r, "timeout"); d.Untaken = 0 }, ""},
		"secrets": {func(r *rundoc.Run, d *rundoc.WSDetail) { timedOut(r, "timeout"); d.UntakenExample = "" },
			"2 messages matched no rule of socket.yaml. To see"},
		"a preset": {func(r *rundoc.Run, d *rundoc.WSDetail) {
			timedOut(r, "timeout")
			d.Untaken, d.Protocol = 1, rundoc.WSProtocol{Name: "echo", Preset: true}
		}, "1 message matched no rule of the preset echo; first"},
	} {
		run := soundRun(t)
		for i := range run.Operations {
			run.Operations[i].Causes, run.Operations[i].Unfinished = nil, 0
		}
		run.Target.URL = "ws://host/"
		d := &rundoc.WSDetail{Protocol: rundoc.WSProtocol{Name: "socket.yaml"}, Untaken: 2, UntakenExample: "42[1]"}
		c.edit(run, d)
		run.Detail = d
		got := ""
		for _, w := range rundoc.Warnings(run) {
			if w.Code == rundoc.WarnNoRule {
				got = w.Message
			}
		}
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func timedOut(r *rundoc.Run, cause string) {
	r.Operations[0].Causes = []rundoc.Cause{{Cause: cause, Count: 1}}
}
