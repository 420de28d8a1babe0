package match

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

var words = []string{
	"Good morning all, the harbour pilot is running ten minutes late today.", "Quick note: our night shift looks better than last week.",
	"For those who just joined, the new build needs one more pair of hands.", "As promised, the second crane is open again since noon.",
	"Before I forget, the map room asks for a short call at three.", "Between us, the old ferry has moved to the upper deck.",
}

// replyTo is what the server of the reference answers to a message.
func replyTo(id, message string) []byte {
	return []byte(`{"messageId":"` + id + `","status":"success","serverReceivedTime":"2026-03-04T04:06:07.089123Z",` +
		`"serverSendTime":"2026-03-04T04:06:07.089160Z","originalMessage":` + message + `}`)
}

// chatRules are the rules of the reference.
func chatRules() []Rule {
	refused := []Condition{equal(pointer("/status"), "error")}
	own, original := pointer("/messageId"), pointer("/originalMessage/messageId")
	return []Rule{
		{When: []Condition{equal(pointer("/status"), "delivered")}, Of: []Selector{own}},
		{When: []Condition{{Of: own, Relation: Present}}, Of: []Selector{own}, Refused: refused},
		{When: []Condition{{Of: original, Relation: Present}}, Of: []Selector{original}, Refused: refused},
		{When: refused, Of: []Selector{own}, Refused: refused},
	}
}

// byFile makes and reads messages as a protocol file says.
type byFile struct {
	head, tail *template.Template
	values     template.Values
	mark       []byte
	decoder    codec.Decoder
	matcher    *Matcher
}

func newByFile(t testing.TB) *byFile {
	t.Helper()
	known := &template.Known{Of: template.OfMessage}
	draw, err := template.NewDraw("user", "${int 1 100000}", known)
	if err != nil {
		t.Fatal(err)
	}
	known.Draws = append(known.Draws, draw)
	message, err := template.Compile(`{"userId":"${user}","username":"user${user}","message":"${pick `+strings.Join(words, "|")+
		`}","roomId":"${room}","messageType":"TEXT","messageId":"${mark}","timestamp":"${now rfc3339_us}"}`, template.JSON, known)
	if err != nil {
		t.Fatal(err)
	}
	c, err := codec.By("json", codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &byFile{decoder: c.NewDecoder(), matcher: compile(t, chatRules()...)}
	f.head, f.tail = message.Split()
	f.values = template.Values{Seed: 42, Client: 17, Stamps: &template.Stamps{}}
	return f
}

func (f *byFile) make(b []byte, index uint64, now time.Time) []byte {
	f.values.Index = index
	f.values.Room = index%100 + 1
	b = f.head.Append(b, &f.values)
	f.mark = append(f.mark[:0], "0a1b2c3d-"...)
	f.mark = append(strconv.AppendUint(f.mark, index, 10), '-')
	f.mark = append(strconv.AppendUint(f.mark, f.values.Client, 10), '.')
	f.mark = strconv.AppendUint(f.mark, index, 10)
	f.values.Mark, f.values.Now = f.mark, now
	return f.tail.Append(b, &f.values)
}

func (f *byFile) read(t testing.TB, m *codec.Message, frame []byte) (id []byte, refused bool) {
	f.decoder.Begin(frame)
	if ok, err := f.decoder.Next(m); !ok || err != nil {
		t.Fatal(ok, err)
	}
	rule, err := f.matcher.Match(m)
	if rule < 0 || err != nil {
		t.Fatal(rule, err)
	}
	id, _ = f.matcher.Value(0)
	return id, f.matcher.Refused()
}

// BenchmarkChat makes a chat message and reads the reply to it, as a protocol file describes both.
func BenchmarkChat(b *testing.B) {
	now := time.Date(2026, 3, 4, 4, 6, 7, 89_123_000, time.UTC)
	file := newByFile(b)
	text := file.make(nil, 12345, now)
	frame := replyTo("0a1b2c3d-12345-17.12345", string(text))
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for i := range uint64(b.N) {
			text = file.make(text[:0], i, now)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(frame)))
		var m codec.Message
		for b.Loop() {
			if id, refused := file.read(b, &m, frame); len(id) != 23 || refused {
				b.Fatal(id, refused)
			}
		}
	})
}

// BenchmarkMatch reads bodies of other shapes.
func BenchmarkMatch(b *testing.B) {
	long := `{"type":"next","id":"17","payload":{"data":{"messages":[` + strings.Repeat(`{"id":12,"text":"words and more","on":true},`, 200) +
		`{}]}},"text":"` + strings.Repeat("Привет, мир. ", 40) + `"}`
	for _, c := range []struct{ name, body string }{
		{"short", `{"type":"ack","id":"17"}`},
		{"reply", string(replyTo("0a1b2c3d-12345-17.12345", `{"userId":"1","username":"user1","message":"Hello","roomId":"1"}`))},
		{"long", long},
		{"chinese", `{"id":"17","text":"` + strings.Repeat("你好，世界", 60) + `"}`},
		{"numbers", `{"id":"17","data":[` + strings.Repeat("1234.5,-17,0,1e9,", 60) + `1]}`},
		{"spaces", "{\n    \"id\" : \"17\",\n" + strings.Repeat("    \"name\" : \"value\",\n", 20) + "    \"x\" : 1\n}\n"},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, len(c.body)), func(b *testing.B) {
			id := pointer("/id")
			m := compile(b, Rule{When: []Condition{{Of: id, Relation: Present}}, Of: []Selector{id}}, Rule{})
			msg := body(c.body)
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Match(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
