package match

import (
	"fmt"
	"strings"
	"testing"
)

// replyTo is what the server of the reference answers to a message.
func replyTo(id, message string) []byte {
	return []byte(`{"messageId":"` + id + `","status":"success","serverReceivedTime":"2026-03-04T04:06:07.089123Z",` +
		`"serverSendTime":"2026-03-04T04:06:07.089160Z","originalMessage":` + message + `}`)
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
