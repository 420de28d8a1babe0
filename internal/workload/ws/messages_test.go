package ws

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func mix() Mix {
	return Mix{Users: 100000, Rooms: 20, Templates: 50, TextShare: .9, JoinShare: .05, LeaveShare: .05}
}

type message struct {
	UserID, Username, Message, RoomID, MessageType, MessageID, Timestamp string
}

// whole makes message index as client 3 sends it in its 9th attempt.
func whole(t *testing.T, m *messages, index uint64, room int) (msg message, kind, inRoom int) {
	t.Helper()
	b, kind, inRoom := m.append(nil, index, room)
	var clock stampCache
	b = appendEnd(b, 3, 9, time.Date(2026, 2, 3, 4, 5, 6, 7008999, time.UTC), &clock)
	if err := json.Unmarshal(b, &msg); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return msg, kind, inRoom
}

func TestMessagesAreAFunctionOfSeedAndIndex(t *testing.T) {
	a, b, other := newMessages(5, mix(), "tag"), newMessages(5, mix(), "tag"), newMessages(6, mix(), "tag")
	same := 0
	for i := range 1000 {
		index := uint64(999 - i) // in another order
		x, _, _ := whole(t, a, index, -1)
		y, _, _ := whole(t, b, index, -1)
		z, _, _ := whole(t, other, index, -1)
		if x != y {
			t.Fatalf("message %d is %+v and %+v", index, x, y)
		}
		if x == z {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of 1000 messages do not depend on the seed", same)
	}
}

func TestMessageHasWhatTheRulesAsk(t *testing.T) {
	m := newMessages(1, mix(), "tag")
	msg, kind, room := whole(t, m, 42, -1)
	if msg.Username != "user"+msg.UserID || msg.MessageType != types[kind] || msg.MessageID != "tag-42-3.9" ||
		msg.Timestamp != "2026-02-03T04:05:06.007008Z" || msg.RoomID == "" || room < 0 || room > 19 {
		t.Errorf("%+v, kind %d, room %d", msg, kind, room)
	}
	if _, _, room := whole(t, m, 42, 7); room != 7 {
		t.Errorf("room %d in a client's room 7", room)
	}
}

func TestSharesRoomsAndUsersAreDrawnEvenly(t *testing.T) {
	// With another seed each time a sound generator would fail now and then, by chance.
	chat, err := New(Options{Seed: 1, Mix: mix()}, "ws://localhost/", "tag")
	if err != nil {
		t.Fatal(err)
	}
	const n = 200000
	kinds, rooms, texts := map[string]float64{}, map[string]float64{}, map[string]float64{}
	var b []byte
	for i := range uint64(n) {
		var kind, room int
		b, kind, room = chat.messages.append(b[:0], i, -1)
		if got := chat.Kind(i); got != kind {
			t.Fatalf("Kind(%d) is %d, and the message's is %d", i, got, kind)
		}
		kinds[types[kind]]++
		rooms[string(rune('a'+room))]++
		text, _, _ := strings.Cut(string(b[strings.Index(string(b), `"message":`):]), `,"roomId"`)
		texts[text]++
	}
	// Five standard deviations of a binomial count: a sound generator is outside with one seed of some ten thousand.
	even := func(what string, counts map[string]float64, share func(string) float64, want int) {
		if len(counts) != want {
			t.Errorf("%d %s, want %d", len(counts), what, want)
		}
		for name, count := range counts {
			p := share(name)
			if math.Abs(count-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%s %s came %v times of %d, want a share of %v", what, name, count, n, p)
			}
		}
	}
	even("types", kinds, func(name string) float64 {
		return map[string]float64{"TEXT": .9}[name] + map[string]float64{"JOIN": .05, "LEAVE": .05}[name]
	}, 3)
	even("rooms", rooms, func(string) float64 { return 1. / 20 }, 20)
	even("texts", texts, func(string) float64 { return 1. / 50 }, 50)
}

func TestTemplatesDifferAndHaveTheirSize(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1001 {
		seen[template(i, 0)] = true
	}
	if len(seen) != 1001 {
		t.Errorf("%d different texts of 1001", len(seen))
	}
	for size := 1; size <= 500; size++ {
		if got := template(size, size); utf8.RuneCountInString(got) != size {
			t.Errorf("size %d gives %d characters: %q", size, utf8.RuneCountInString(got), got)
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	m := newMessages(1, mix(), "0123abcd")
	var clock stampCache
	var buf []byte
	now := time.Now()
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		buf, _, _ = m.append(buf[:0], i, -1)
		buf = appendEnd(buf, 7, i, now, &clock)
	}
}
