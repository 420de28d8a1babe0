package ws

import (
	"encoding/json"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload"
)

// Mix says what the messages are.
type Mix struct {
	Users       int     // user ids are 1 to Users
	Rooms       int     // rooms are 1 to Rooms
	Templates   int     // different message texts
	MessageSize int     // characters of the text; 0: as the template has
	TextShare   float64 // shares sum to 1
	JoinShare   float64
	LeaveShare  float64
}

// The message types, in the order of the kinds.
const (
	text = iota
	join
	leave
)

var types = [...]string{text: "TEXT", join: "JOIN", leave: "LEAVE"}

func kinds() []workload.Kind {
	list := make([]workload.Kind, len(types))
	for i, name := range types {
		list[i] = workload.Kind{Name: "send", Labels: map[string]string{"type": name}}
	}
	return list
}

// messages makes messages: number index is a pure function of the seed and the index.
type messages struct {
	seed        uint64
	users       uint64
	rooms       uint64
	texts       []string // quoted as JSON
	join, leave uint64   // draws below join are JOIN, then up to leave LEAVE, else TEXT
	head        string   // of every messageId
}

func newMessages(seed uint64, mix Mix, tag string) *messages {
	const whole = 1 << 32
	m := &messages{
		seed:  seed,
		users: uint64(mix.Users),
		rooms: uint64(mix.Rooms),
		join:  uint64(mix.JoinShare * whole),
		head:  tag + "-",
	}
	m.leave = m.join + uint64(mix.LeaveShare*whole)
	for i := range mix.Templates {
		quoted, err := json.Marshal(template(i, mix.MessageSize))
		if err != nil {
			panic(err) // a string of ours is valid UTF-8
		}
		m.texts = append(m.texts, string(quoted))
	}
	return m
}

// draws are the random numbers of one message: SplitMix64 (G. L. Steele, D. Lea,
// C. H. Flood, "Fast Splittable Pseudorandom Number Generators", 2014), started at a point
// that the seed and the index give.
type draws uint64

func newDraws(seed, index uint64) draws { return draws(mix64(seed) ^ mix64(index+golden)) }

const golden = 0x9E3779B97F4A7C15

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below draws a number from 0 to n−1.
func (d *draws) below(n uint64) uint64 {
	*d += golden
	high, _ := bits.Mul64(mix64(uint64(*d)), n)
	return high
}

// kind draws the type of the message; it is the first draw.
func (m *messages) kind(d *draws) int {
	switch v := d.below(1 << 32); {
	case v < m.join:
		return join
	case v < m.leave:
		return leave
	default:
		return text
	}
}

// append makes message index, but for the end that names the attempt, and says of which
// kind it is and for which room, counted from 0. A room of 0 or more is taken instead of a
// drawn one.
func (m *messages) append(b []byte, index uint64, room int) (body []byte, kind, inRoom int) {
	d := newDraws(m.seed, index)
	kind = m.kind(&d)
	user := d.below(m.users) + 1
	words := m.texts[d.below(uint64(len(m.texts)))]
	if drawn := int(d.below(m.rooms)); room < 0 {
		room = drawn
	}
	b = append(b, `{"userId":"`...)
	b = strconv.AppendUint(b, user, 10)
	b = append(b, `","username":"user`...)
	b = strconv.AppendUint(b, user, 10)
	b = append(b, `","message":`...)
	b = append(b, words...)
	b = append(b, `,"roomId":"`...)
	b = strconv.AppendInt(b, int64(room)+1, 10)
	b = append(b, `","messageType":"`...)
	b = append(b, types[kind]...)
	b = append(b, `","messageId":"`...)
	b = append(b, m.head...)
	b = strconv.AppendUint(b, index, 10)
	b = append(b, '-')
	return b, kind, room
}

// appendEnd completes a message with the client and the attempt that send it, and the time.
func appendEnd(b []byte, client, seq uint64, now time.Time, clock *stampCache) []byte {
	b = strconv.AppendUint(b, client, 10)
	b = append(b, '.')
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, `","timestamp":"`...)
	b = clock.append(b, now)
	return append(b, `"}`...)
}

// stampCache writes times as ISO-8601 in UTC with microseconds, and keeps the part that
// stays the same for a second.
type stampCache struct {
	second int64
	prefix []byte
}

func (c *stampCache) append(b []byte, t time.Time) []byte {
	if s := t.Unix(); s != c.second || c.prefix == nil {
		c.second = s
		c.prefix = t.UTC().AppendFormat(c.prefix[:0], "2006-01-02T15:04:05.")
	}
	b = append(b, c.prefix...)
	us := t.Nanosecond() / 1000
	for div := 100000; div > 0; div /= 10 {
		b = append(b, byte('0'+us/div%10))
	}
	return append(b, 'Z')
}

// The words of the templates. Their numbers share no factor, so that templates differ until
// all combinations are used: 7 × 11 × 13 = 1001.
var (
	openings = [...]string{
		"Good morning all,", "Quick note:", "For those who just joined,", "As promised,",
		"Before I forget,", "Between us,", "To whoever is awake,",
	}
	subjects = [...]string{
		"the harbour pilot", "our night shift", "the new build", "the second crane", "the map room",
		"the old ferry", "the survey team", "the tide table", "the lighthouse", "the cargo desk", "the weather desk",
	}
	news = [...]string{
		"is running ten minutes late today.", "looks better than last week.", "needs one more pair of hands.",
		"is open again since noon.", "asks for a short call at three.", "has moved to the upper deck.",
		"passed its inspection, well done.", "will be closed on Thursday.", "found the missing crate at last.",
		"wants your opinion on the plan.", "is waiting for the green light.", "has coffee, if you hurry.",
		"sends its regards to everyone.",
	}
)

// template is text number i, cut or repeated to size characters if that is not 0.
func template(i, size int) string {
	s := openings[i%len(openings)] + " " + subjects[i%len(subjects)] + " " + news[i%len(news)]
	if size == 0 {
		return s
	}
	for len(s) < size {
		s += " " + s
	}
	return strings.TrimRight(s[:size], " ") + strings.Repeat(".", size-len(strings.TrimRight(s[:size], " ")))
}
