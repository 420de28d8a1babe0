package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSocketIO reads what a server of Socket.IO 4 sends, and what its protocol has besides.
func TestSocketIO(t *testing.T) {
	type fields = map[string]string
	for _, c := range []struct {
		frame string
		want  seen
	}{
		{`0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}`, seen{
			Fields: fields{"type": "0"},
			Body:   `{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}`,
		}},
		{`2`, seen{Fields: fields{"type": "2"}, Body: none}},
		{`3probe`, seen{Fields: fields{"type": "3"}, Body: "probe"}},
		{`40{"sid":"wZX3oN0bSVIhsaknAAAI"}`, seen{Fields: fields{"type": "40"}, Body: `{"sid":"wZX3oN0bSVIhsaknAAAI"}`}},
		{`40/admin,{"sid":"oSO0OpakMV_3jnilAAAA"}`, seen{
			Fields: fields{"type": "40", "namespace": "/admin"}, Body: `{"sid":"oSO0OpakMV_3jnilAAAA"}`,
		}},
		{`4`, seen{Fields: fields{"type": "4"}, Body: none}},
		{`4/a`, seen{Fields: fields{"type": "4"}, Body: "/a"}},
		{`41`, seen{Fields: fields{"type": "41"}, Body: none}},
		{`41/admin,`, seen{Fields: fields{"type": "41", "namespace": "/admin"}, Body: none}},
		{`41/admin`, seen{Fields: fields{"type": "41", "namespace": "/admin"}, Body: none}},
		{`42["foo"]`, seen{Fields: fields{"type": "42"}, Body: `["foo"]`}},
		{`4212["foo"]`, seen{Fields: fields{"type": "42", "ack": "12"}, Body: `["foo"]`}},
		{`42/admin,13["bar"]`, seen{Fields: fields{"type": "42", "namespace": "/admin", "ack": "13"}, Body: `["bar"]`}},
		{`430[]`, seen{Fields: fields{"type": "43", "ack": "0"}, Body: `[]`}},
		{`44{"message":"Not authorized"}`, seen{Fields: fields{"type": "44"}, Body: `{"message":"Not authorized"}`}},
		{`4`, seen{Fields: fields{"type": "4"}, Body: none}},
		{`4hello`, seen{Fields: fields{"type": "4"}, Body: "hello"}},
		{`46[]`, seen{Fields: fields{"type": "46"}, Body: `[]`}},
		{`47[]`, seen{Fields: fields{"type": "4"}, Body: `7[]`}},
		{`45-[]`, seen{Fields: fields{"type": "45"}, Body: `-[]`}},
		{`451`, seen{Fields: fields{"type": "45", "ack": "1"}, Body: none}},
		{`42/`, seen{Fields: fields{"type": "42", "namespace": "/"}, Body: none}},
		{`421:`, seen{Fields: fields{"type": "42", "ack": "1"}, Body: ":"}},
		{`6`, seen{Fields: fields{"type": "6"}, Body: none}},
		{`421-["x"]`, seen{Fields: fields{"type": "42", "ack": "1"}, Body: `-["x"]`}},
		{``, seen{Body: none, Err: true}},
		{`7`, seen{Body: none, Err: true}},
		{`{}`, seen{Body: none, Err: true}},
	} {
		c.want.Raw = c.frame
		if diff := cmp.Diff([]seen{c.want}, read(t, by(t, "socketio", Options{}), c.frame)); diff != "" {
			t.Errorf("%s: %s", c.frame, diff)
		}
	}
}

// TestSocketIOAttachments tells binary frames of a message from messages.
func TestSocketIOAttachments(t *testing.T) {
	const event = `452-/admin,7["baz",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]`
	want := []seen{
		{
			Fields: map[string]string{"type": "45", "attachments": "2", "namespace": "/admin", "ack": "7"},
			Body:   `["baz",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]`, Raw: event,
		},
		{Fields: map[string]string{"type": "attachment"}, Body: none, Raw: "\x01\x1e\x02"},
		{Fields: map[string]string{"type": "attachment"}, Body: none, Raw: ""},
		{Fields: map[string]string{"type": "2"}, Body: none, Raw: "2"},
		{Fields: map[string]string{"type": "46", "attachments": "0"}, Body: "[]", Raw: "460-[]"},
		{Fields: map[string]string{"type": "2"}, Body: none, Raw: "2"},
	}
	for _, c := range []struct {
		split  string
		frames []string
	}{
		{"\x1e", []string{event, "\x01\x1e\x02", "", "2", "460-[]\x1e2"}},
		{"", []string{event, "\x01\x1e\x02", "", "2", "460-[]", "2"}},
	} {
		if diff := cmp.Diff(want, read(t, by(t, "socketio", Options{Split: c.split}), c.frames...)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestSocketIOManyAttachments counts them as decimal numbers.
func TestSocketIOManyAttachments(t *testing.T) {
	frames := []string{"4519-[]"}
	for range 21 {
		frames = append(frames, "2")
	}
	counts := map[string]int{}
	for _, m := range read(t, by(t, "socketio", Options{}), frames...) {
		counts[m.Fields["type"]]++
	}
	if diff := cmp.Diff(map[string]int{"45": 1, attachment: 19, "2": 2}, counts); diff != "" {
		t.Error(diff)
	}
}
