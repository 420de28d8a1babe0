package chat

import (
	"encoding/json"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/template"
)

func mix() Mix {
	return Mix{Users: 100000, Rooms: 20, Templates: 50, TextShare: .9, JoinShare: .05, LeaveShare: .05}
}

type message struct {
	UserID, Username, Message, RoomID, MessageType, MessageID, Timestamp string
}

// TestMessagesHaveWhatTheRulesAsk makes messages of each type, of which each user and each text comes as often.
func TestMessagesHaveWhatTheRulesAsk(t *testing.T) {
	m := mix()
	m.Users = 10
	list, err := m.messages()
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	const n = 20000
	users, texts, before := map[string]int{}, map[string]int{}, map[uint64]string{}
	now := time.Date(2026, 2, 3, 4, 5, 6, 7008999, time.UTC)
	for turn, seed := range []uint64{1, 1, 2} {
		same := 0
		for i := range uint64(n) {
			of := list[i%3]
			v := &template.Values{Seed: seed, Index: i, Room: 7, Mark: []byte("tag-42-3.9"), Now: now}
			head := of.Send.Head(nil, v)
			b, err := of.Send.Tail(head, v)
			var msg message
			if err == nil {
				err = json.Unmarshal(b, &msg)
			}
			if err != nil || msg.Username != "user"+msg.UserID || msg.MessageType != of.Name || msg.MessageID != "tag-42-3.9" ||
				msg.Timestamp != "2026-02-03T04:05:06.007008Z" || msg.RoomID != "7" {
				t.Fatalf("%s: %v", b, err)
			}
			users[msg.UserID]++
			texts[msg.Message]++
			if before[i] == string(b) {
				same++
			}
			before[i] = string(b)
		}
		if want := []int{0, n, 0}[turn]; same < want || same > want+n/50 {
			t.Errorf("seed %d: %d of %d messages are those of the seed before", seed, same, n)
		}
	}
	// Five standard deviations of a binomial count: the seeds are the same each time.
	even := func(what string, counts map[string]int, want int) {
		if len(counts) != want {
			t.Errorf("%d %s, want %d", len(counts), what, want)
		}
		p := 1 / float64(want)
		for name, count := range counts {
			if math.Abs(float64(count)-3*n*p) > 2*5*math.Sqrt(3*n*p*(1-p)) { // a seed counts twice
				t.Errorf("%s %s came %v times of %d", what, name, count, 3*n)
			}
		}
	}
	even("users", users, 10)
	even("texts", texts, 50)
}

// TestASingleText is no choice, and a type without a share is no message.
func TestASingleText(t *testing.T) {
	m := Mix{Users: 1, Templates: 1, MessageSize: 9, LeaveShare: 1}
	list, err := m.messages()
	if err != nil || len(list) != 1 || list[0].Name != "LEAVE" || list[0].Weight != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	var msg message
	b, err := list[0].Send.Tail(list[0].Send.Head(nil, &template.Values{}), &template.Values{})
	if err == nil {
		err = json.Unmarshal(b, &msg)
	}
	if err != nil || len(msg.Message) != 9 || msg.UserID != "1" {
		t.Errorf("%s: %v", b, err)
	}
}

func TestTextsDifferAndHaveTheirSize(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1001 {
		seen[words(i, 0)] = true
	}
	if len(seen) != 1001 {
		t.Errorf("%d different texts of 1001", len(seen))
	}
	for size := 1; size <= 500; size++ {
		if got := words(size, size); utf8.RuneCountInString(got) != size {
			t.Errorf("size %d gives %d characters: %q", size, utf8.RuneCountInString(got), got)
		}
	}
}
