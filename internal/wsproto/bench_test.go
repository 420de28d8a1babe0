package wsproto

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

const chatReply = `{"messageId":"0a1b2c3d-41-3.345","status":"success","serverTimestamp":"2027-01-15T08:00:00.123456Z",` +
	`"originalMessage":{"userId":"5201","username":"user5201","message":"As promised, the new build needs one more pair of hands.",` +
	`"roomId":"3","messageType":"TEXT","messageId":"0a1b2c3d-41-3.345","timestamp":"2027-01-15T08:00:00.123456Z"}}`

// BenchmarkChat is what a message of the chat costs besides its way: made, and its answer read.
func BenchmarkChat(b *testing.B) {
	p, err := LoadPreset("chat", Options{})
	if err != nil {
		b.Fatal(err)
	}
	var rules []match.Rule
	for _, r := range p.Rules {
		rules = append(rules, match.Rule{When: r.When, Refused: r.Refused, Of: []match.Selector{r.Of}})
	}
	set, err := match.Compile(rules)
	if err != nil {
		b.Fatal(err)
	}
	v := &template.Values{Room: 3, Mark: []byte("0a1b2c3d-41-3.345"), Now: time.Now(), Stamps: new(template.Stamps)}
	buf, reply := make([]byte, 0, 1024), []byte(chatReply)
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.Index++
			v.Now = v.Now.Add(time.Microsecond)
			s := &p.Messages[v.Index%3].Send
			buf, _ = s.Tail(s.Head(buf[:0], v), v)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		d, found := p.Codec.NewDecoder(), set.NewMatcher()
		var m codec.Message
		for b.Loop() {
			d.Begin(reply)
			if _, err := d.Next(&m); err != nil {
				b.Fatal(err)
			}
			if n, err := found.Match(&m); n != 1 || err != nil || found.Refused() {
				b.Fatal(n, err)
			}
			if id, _ := found.Value(0); len(id) != 17 {
				b.Fatal(string(id))
			}
		}
	})
}
