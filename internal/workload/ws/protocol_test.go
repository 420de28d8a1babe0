package ws

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// ChatOf is that of the reference's chat, whose messages have a text of this size; 0: a usual one.
func ChatOf(t testing.TB, size int) *wsproto.Protocol {
	t.Helper()
	p := ProtocolOf(t, chatFile)
	for i := range p.Messages {
		m := &p.Messages[i]
		text := strings.ReplaceAll(m.Send.Source, "${user}", "${int 1 100000}") // a file may not have the longest ones
		text = strings.Replace(text, "${text 60}", fmt.Sprintf("${text %d}", cmp.Or(size, 60)), 1)
		made, err := template.Compile(text, template.JSON, &template.Known{Of: template.OfMessage})
		if err != nil {
			t.Fatal(err)
		}
		m.Send = wsproto.TextOf(made, "", text)
	}
	return p
}

// ProtocolOf is the protocol of a file.
func ProtocolOf(t testing.TB, file string) *wsproto.Protocol {
	t.Helper()
	p, err := wsproto.Load("test.yaml", []byte(file), wsproto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const chatFile = `
protocol: 1
codec: json
draw: {user: "${int 1 100000}"}
messages:
  - name: TEXT
    weight: 90
    send: '{"userId":"${user}","username":"user${user}","message":"${text 60}","roomId":"${room}","messageType":"TEXT","messageId":"${mark}","timestamp":"${now rfc3339_us}"}'
  - name: JOIN
    weight: 5
    send: '{"userId":"${user}","username":"user${user}","message":"${text 60}","roomId":"${room}","messageType":"JOIN","messageId":"${mark}","timestamp":"${now rfc3339_us}"}'
  - name: LEAVE
    weight: 5
    send: '{"userId":"${user}","username":"user${user}","message":"${text 60}","roomId":"${room}","messageType":"LEAVE","messageId":"${mark}","timestamp":"${now rfc3339_us}"}'
receive:
  - {when: {/status: delivered}, delivery: /messageId}
  - {when: {/messageId: "*"}, answers: /messageId, refused: {/status: error}}
  - {when: {/originalMessage/messageId: "*"}, answers: /originalMessage/messageId, refused: {/status: error}}
  - {when: {/status: error}, answers: /messageId, refused: {/status: error}}
`
