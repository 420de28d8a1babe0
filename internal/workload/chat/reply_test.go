package chat

import "testing"

var benchReply = []byte(`{"messageId":"abcd1234-123456-12.123456","status":"success","serverReceiveTime":"2026-11-21T20:00:00.123456Z","serverSendTime":"2026-11-21T20:00:00.123999Z","originalMessage":{"userId":"12345","username":"user12345","message":"Good morning all, the new build is running ten minutes late today.","roomId":"12","messageType":"TEXT","messageId":"abcd1234-123456-12.123456","timestamp":"2026-11-21T20:00:00.123456Z"}}`)

func BenchmarkParse(b *testing.B) {
	p := newParser()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.parse(benchReply); err != nil {
			b.Fatal(err)
		}
	}
}
