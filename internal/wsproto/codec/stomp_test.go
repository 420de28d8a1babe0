package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func stompWith(t testing.TB, headers ...string) Codec {
	t.Helper()
	c := by(t, "stomp", Options{})
	for i, h := range headers {
		if n, err := c.Field(h); n != 2+i || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, err := c.Field("command"); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	return c
}

// TestStomp reads frames as RabbitMQ and other servers send them.
func TestStomp(t *testing.T) {
	type fields = map[string]string
	for _, c := range []struct {
		name, frame string
		want        []seen
	}{
		{
			"connected", "CONNECTED\nserver:RabbitMQ/3.12.1\nsession:session-x\\n\nheart-beat:0,0\nversion:1.2\n\n\x00",
			[]seen{{Fields: fields{"command": "CONNECTED", "version": "1.2", "session": "session-x\\n"}, Body: none}},
		},
		{
			"message", "MESSAGE\nsubscription:sub-0\ndestination:/topic/a\\cb\nmessage-id:T_sub-0@@1\ncontent-length:5\n\na\x00b\x00c\x00\n",
			[]seen{{
				Fields: fields{"command": "MESSAGE", "destination": "/topic/a:b", "body": "a\x00b\x00c"}, Body: "a\x00b\x00c",
			}},
		},
		{
			"line ends of two characters", "\r\nRECEIPT\r\nreceipt-id:17\r\n\r\n\x00\r\n",
			[]seen{{Fields: fields{"command": "RECEIPT", "receipt-id": "17"}, Body: none}},
		},
		{
			"the first of two headers", "MESSAGE\nreceipt-id:\nreceipt-id:World\n\n{}\x00",
			[]seen{{Fields: fields{"command": "MESSAGE", "receipt-id": "", "body": "{}"}, Body: "{}"}},
		},
		{
			"escapes", "ERROR\nmess\\cage:a\\\\b\\n\\r\\c\n\nx\n\x00",
			[]seen{{Fields: fields{"command": "ERROR", "mess:age": "a\\b\n\r:", "body": "x\n"}, Body: "x\n"}},
		},
		{
			"two in one", "A\n\n1\x00\nB\n\n2\x00",
			[]seen{
				{Fields: fields{"command": "A", "body": "1"}, Body: "1"}, {Fields: fields{"command": "B", "body": "2"}, Body: "2"},
			},
		},
		{"heart-beat", "\n", []seen{{Fields: fields{"command": "heartbeat"}, Body: none}}},
		{"heart-beat", "\r\n", []seen{{Fields: fields{"command": "heartbeat"}, Body: none}}},
		{"nothing", "", nil},
		{"no NUL", "A\n\n1", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"no end of headers", "A\nb:c\n", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"no colon", "A\nb\n\n\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"no escape", "A\nb:\\t\n\n\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"half an escape", "A\nb:\\\n\n\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"longer than there is", "A\ncontent-length:2\n\n1\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"shorter than there is", "A\ncontent-length:1\n\n12\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
		{"no length", "A\ncontent-length:-1\n\n1\x00", []seen{{Fields: fields{"command": "A"}, Body: none, Err: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			codec := stompWith(t, "version", "session", "destination", "receipt-id", "mess:age")
			got := read(t, codec, c.frame, "\n")
			want := append(c.want, seen{Fields: fields{"command": "heartbeat"}, Body: none})
			for i := range got {
				got[i].Raw = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestStompFields does not know a header that was asked for later.
func TestStompFields(t *testing.T) {
	c := stompWith(t)
	d := c.NewDecoder()
	if n, err := c.Field("x"); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	d.Begin([]byte("A\nx:y\n\n\x00"))
	var m Message
	if ok, err := d.Next(&m); !ok || err != nil || len(m.Fields) != 2 {
		t.Error(ok, err, m.Fields)
	}
	if _, err := c.Field(""); err == nil {
		t.Error("a header without a name is taken")
	}
}
