package wsproto

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

// frame is one that a server writes, and what the rules, or a step of the opening, make of each message in it: the name
// of what took it, and what that means up to the first semicolon.
type frame struct {
	text string
	want []string
}

// preset is what a test holds against a preset.
type preset struct {
	path  string
	sent  []string // the steps that send, the first message, what is sent regularly and at the end
	steps map[int][]frame
	rules []frame
}

// TestPresets: what each preset sends is what its servers read, and of the frames that they write it makes what they
// mean. The frames are those of the specifications, and of the servers named beside them.
func TestPresets(t *testing.T) {
	cases := map[string]preset{
		"chat": chatPreset(), "echo": echoPreset(), "socketio": socketioPreset(), "stomp": stompPreset(), "mqtt": mqttPreset(),
		"graphql": graphqlPreset(), "phoenix": phoenixPreset(), "centrifugo": centrifugoPreset(), "signalr": signalrPreset(),
	}
	for _, p := range Presets() {
		t.Run(p.Name, func(t *testing.T) {
			protocol, err := LoadPreset(p.Name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, is := cases[p.Name]
			if !is {
				t.Fatal("it has no test")
			}
			if len(p.About) < 40 || len(p.About) > 117 || strings.Contains(p.About, "#") || protocol.NeedsAnswer() != nil ||
				protocol.Name != p.Name {
				t.Errorf("%q, %q, %v", protocol.Name, p.About, protocol.NeedsAnswer())
			}
			check(t, protocol, want)
		})
	}
	for name, hint := range map[string]string{"soketio": "did you mean socketio?", "./x": "there are chat, echo, "} {
		if _, err := LoadPreset(name, Options{}); err == nil || !strings.HasPrefix(fault.HintOf(err), hint) {
			t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
		}
	}
}

func check(t *testing.T, p *Protocol, want preset) {
	v := &template.Values{Seed: 1, Room: 3, ID: 7, Mark: []byte("m-7"), Now: time.Unix(1_800_000_000, 123_456_000)}
	path := ""
	if p.Path != nil {
		path = string(p.Path.Append(nil, v))
	}
	if path != want.path {
		t.Errorf("the path is %q", path)
	}
	var all []string
	for _, s := range p.Open {
		if s.Send != nil {
			all = append(all, sent(t, s.Send, v))
		}
	}
	all = append(all, sent(t, &p.Messages[0].Send, v))
	for i := range p.Every {
		all = append(all, sent(t, &p.Every[i].Send, v))
	}
	for i := range p.Close {
		all = append(all, sent(t, &p.Close[i], v))
	}
	drawn := regexp.MustCompile(`("(?:text|body)":")[a-z ]{80}"`) // which is not what this is about
	for i := range all {
		all[i] = drawn.ReplaceAllString(all[i], `${1}"`)
	}
	if diff := cmp.Diff(want.sent, all); diff != "" {
		t.Errorf("sent: %s", diff)
	}
	for step := range p.Open {
		for _, f := range want.steps[step] {
			holds(t, p.NewExplainer().Step(step, []byte(f.text)), f)
		}
	}
	for _, f := range want.rules {
		holds(t, p.NewExplainer().Rules([]byte(f.text)), f)
	}
}

func holds(t *testing.T, all []Explained, f frame) {
	t.Helper()
	var got []string
	for _, x := range all {
		switch means := strings.TrimSuffix(strings.SplitN(x.Means, " (", 2)[0], "; refused: no"); {
		case x.Err != nil:
			got = append(got, "unreadable: "+x.Err.Error())
		case x.Rule < 0:
			got = append(got, "nothing")
		default:
			got = append(got, x.Tried[len(x.Tried)-1].Name+": "+means)
		}
	}
	if diff := cmp.Diff(f.want, got); diff != "" {
		t.Errorf("%q: %s", f.text, diff)
		for _, x := range all {
			t.Log(strings.Join(x.Lines(), "\n"))
		}
	}
}

const (
	done     = "expect: the step is done"
	no       = "refused: the server says no"
	ignored  = ": it is ignored"
	answer   = ": it is the answer to the message that "
	delivery = ": it is a delivery of the message that "
)

func chatPreset() preset {
	return preset{
		sent: []string{`{"userId":"5201","username":"user5201","message":"As promised, the new build needs one more pair of hands.",` +
			`"roomId":"3","messageType":"TEXT","messageId":"m-7","timestamp":"2027-01-15T08:00:00.123456Z"}`},
		rules: []frame{
			{`{"messageId":"m-7","status":"ok","timestamp":"2027-01-15T08:00:00Z"}`, []string{"rule 2" + answer + `/messageId names: "m-7"`}},
			{`{"messageId":"m-7","status":"error","error":"too long"}`, []string{"rule 2" + answer + `/messageId names: "m-7"; refused: yes`}},
			{`{"status":"error","originalMessage":{"messageId":"m-7"}}`,
				[]string{"rule 3" + answer + `/originalMessage/messageId names: "m-7"; refused: yes`}},
			{`{"status":"error"}`, []string{"rule 4" + answer + "/messageId names, and nothing is there; refused: yes"}},
			{`{"messageId":"m-7","status":"delivered","roomId":"3"}`, []string{"rule 1" + delivery + `/messageId names: "m-7"`}},
			{`{"hello":1}`, []string{"nothing"}},
		},
	}
}

func echoPreset() preset {
	return preset{
		sent:  []string{`{"id":"m-7","text":""}`},
		rules: []frame{{`{"id":"m-7","text":"a"}`, []string{"rule 1" + answer + `/id names: "m-7"`}}},
	}
}

func socketioPreset() preset {
	return preset{
		path: "/socket.io/?EIO=4&transport=websocket",
		sent: []string{"40", `427["msg",{"id":"m-7","room":"3","text":""}]`, "41"},
		steps: map[int][]frame{
			0: {{`0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}`, []string{done}}},
			1: {
				{`40{"sid":"wZX3oN0bSVIhsaknAAAI"}`, []string{done}},
				{`44{"message":"Not authorized"}`, []string{no}}, {"2", []string{"nothing"}},
			},
		},
		rules: []frame{
			{"2", []string{`rule 1: it is answered with 3`}},
			{`437["ok"]`, []string{"rule 2" + answer + `ack names: "7"`}},
			{`437[{"error":"no"}]`, []string{"rule 2" + answer + `ack names: "7"; refused: yes`}},
			{"437[]", []string{"rule 2" + answer + `ack names: "7"`}},
			{`42["msg",{"id":"m-7","room":"3","text":""}]`, []string{"rule 3" + delivery + `/1/id names: "m-7"`}},
			{`42["other"]`, []string{"nothing"}},
		},
	}
}

func stompPreset() preset {
	const message = "MESSAGE\nsubscription:0\ndestination:/topic/plimsoll.3\nmessage-id:T_0@@session-x@@1\nredelivered:false\n" +
		"content-type:application/json\ncontent-length:12\n\n{\"id\":\"m-7\"}\x00"
	return preset{
		path: "/ws",
		sent: []string{
			"CONNECT\naccept-version:1.2\nhost:/\nlogin:guest\npasscode:guest\nheart-beat:0,0\n\n\x00",
			"SUBSCRIBE\nid:0\ndestination:/topic/plimsoll.3\nack:auto\nreceipt:subscribed\n\n\x00",
			"SEND\ndestination:/topic/plimsoll.3\ncontent-type:application/json\nreceipt:m-7\n\n{\"id\":\"m-7\",\"text\":\"\"}\x00",
			"DISCONNECT\nreceipt:bye\n\n\x00",
		},
		steps: map[int][]frame{
			0: { // RabbitMQ
				{"CONNECTED\nserver:RabbitMQ/3.12.1\nsession:session-qXp2vC1s\nheart-beat:0,0\nversion:1.2\n\n\x00", []string{done}},
				{"ERROR\nmessage:Bad CONNECT\ncontent-type:text/plain\nversion:1.0,1.1,1.2\ncontent-length:30\n\nAccess refused for user 'guest\x00", []string{no}},
			},
			1: {
				{"RECEIPT\nreceipt-id:subscribed\n\n\x00", []string{done}}, {"RECEIPT\nreceipt-id:m-7\n\n\x00", []string{"nothing"}},
				{message, []string{"nothing"}},
			},
		},
		rules: []frame{
			{"RECEIPT\nreceipt-id:m-7\n\n\x00", []string{"rule 1" + answer + `receipt-id names: "m-7"`}},
			{message, []string{"rule 2" + delivery + `/id names: "m-7"`}},
			{message + "\n" + "RECEIPT\nreceipt-id:m-7\n\n\x00\n",
				[]string{"rule 2" + delivery + `/id names: "m-7"`, "rule 1" + answer + `receipt-id names: "m-7"`}},
			{"ERROR\nmessage:not_found\n\n\x00", []string{"rule 3" + answer + "receipt-id names, and nothing is there; refused: yes"}},
			{"ERROR\nreceipt-id:m-7\n\n\x00", []string{"rule 3" + answer + `receipt-id names: "m-7"; refused: yes`}},
			{"\n", []string{"rule 4" + ignored}},
		},
	}
}

func mqttPreset() preset {
	return preset{
		path: "/mqtt",
		sent: []string{
			"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00", "\x82\x0f\x00\x01\x00\x0aplimsoll/3\x00",
			"\x32\x74\x00\x0aplimsoll/3\x00\x07{\"id\":\"m-7\",\"text\":\"\"}", "\xc0\x00", "\xe0\x00",
		},
		steps: map[int][]frame{
			0: {{"\x20\x02\x00\x00", []string{done}}, {"\x20\x02\x00\x05", []string{no}}},
			1: {{"\x90\x03\x00\x01\x00", []string{done}}, {"\x90\x03\x00\x01\x80", []string{no}}},
		},
		rules: []frame{
			{"\x40\x02\x00\x07", []string{"rule 1" + answer + `id names: "7"`}},
			{"\x40\x03\x00\x07\x87", []string{"rule 1" + answer + `id names: "7"; refused: yes`}},
			{"\x30\x18\x00\x0aplimsoll/3{\"id\":\"m-7\"}\xd0\x00", []string{"rule 2" + delivery + `/id names: "m-7"`, "rule 3" + ignored}},
		},
	}
}

func graphqlPreset() preset {
	return preset{
		path: "/graphql",
		sent: []string{`{"type":"connection_init"}`, `{"id":"7","type":"subscribe","payload":{"query":"query { __typename }"}}`},
		steps: map[int][]frame{0: {
			{`{"type":"connection_ack"}`, []string{done}},
			{`{"type":"connection_ack","payload":{"who":"x"}}`, []string{done}}, {`{"type":"ping"}`, []string{"nothing"}},
		}},
		rules: []frame{
			{`{"type":"ping"}`, []string{`rule 1: it is answered with {"type":"pong"}`}},
			{`{"id":"7","type":"next","payload":{"data":{"__typename":"Query"}}}`, []string{"rule 2" + answer + `/id names: "7"`}},
			{`{"id":"7","type":"next","payload":{"errors":[{"message":"no"}],"data":null}}`,
				[]string{"rule 2" + answer + `/id names: "7"; refused: yes`}},
			{`{"id":"7","type":"error","payload":[{"message":"Syntax Error"}]}`, []string{"rule 3" + answer + `/id names: "7"; refused: yes`}},
			{`{"id":"7","type":"complete"}`, []string{"rule 4" + ignored}},
		},
	}
}

func phoenixPreset() preset {
	return preset{
		path: "/socket/websocket?vsn=2.0.0",
		sent: []string{
			`["join","join","room:3","phx_join",{}]`, `["join","7","room:3","new_msg",{"id":"m-7","body":""}]`,
			`[null,"beat","phoenix","heartbeat",{}]`, `["join","leave","room:3","phx_leave",{}]`,
		},
		steps: map[int][]frame{0: {
			{`["join","join","room:3","phx_reply",{"response":{},"status":"ok"}]`, []string{done}},
			{`["join","join","room:3","phx_reply",{"response":{"reason":"unauthorized"},"status":"error"}]`, []string{no}},
			{`["join",null,"room:3","presence_state",{}]`, []string{"nothing"}},
		}},
		rules: []frame{
			{`["join","7","room:3","phx_reply",{"response":{},"status":"ok"}]`, []string{"rule 2" + answer + `/1 names: "7"`}},
			{`["join","7","room:3","phx_reply",{"response":{"reason":"full"},"status":"error"}]`,
				[]string{"rule 3" + answer + `/1 names: "7"; refused: yes`}},
			{`[null,null,"room:3","new_msg",{"id":"m-7","body":""}]`, []string{"rule 4" + delivery + `/4/id names: "m-7"`}},
			{`[null,"beat","phoenix","phx_reply",{"response":{},"status":"ok"}]`, []string{"rule 1" + ignored}},
		},
	}
}

func centrifugoPreset() preset {
	return preset{
		path: "/connection/websocket",
		sent: []string{
			`{"id":1,"connect":{}}`, `{"id":2,"subscribe":{"channel":"room:3"}}`,
			`{"id":7,"publish":{"channel":"room:3","data":{"id":"m-7","text":""}}}`,
		},
		steps: map[int][]frame{
			0: {
				{`{"id":1,"connect":{"client":"fb5b4d04-75a4-42fc-8068-94650626fe6e","version":"6.0.1 OSS","ping":25,"pong":true}}`, []string{done}},
				{`{"id":1,"error":{"code":101,"message":"unauthorized"}}`, []string{no}},
			},
			1: {{`{"id":2,"subscribe":{}}`, []string{done}}, {`{"id":2,"error":{"code":103,"message":"permission denied"}}`, []string{no}}},
		},
		rules: []frame{
			{`{"id":7,"publish":{}}`, []string{"rule 3" + answer + "/id names: 7"}},
			{`{"id":7,"error":{"code":103,"message":"permission denied"}}`, []string{"rule 3" + answer + "/id names: 7; refused: yes"}},
			{"{}", []string{"rule 4: it is answered with {}"}},
			{`{"push":{"channel":"room:3","pub":{"data":{"id":"m-7","text":""},"offset":3}}}` + "\n" + `{"id":7,"publish":{}}`,
				[]string{"rule 1" + delivery + `/push/pub/data/id names: "m-7"`, "rule 3" + answer + "/id names: 7"}},
			{`{"push":{"channel":"room:3","join":{"info":{"client":"x"}}}}`, []string{"rule 2" + ignored}},
		},
	}
}

func signalrPreset() preset {
	return preset{
		path: "/chatHub",
		sent: []string{
			"{\"protocol\":\"json\",\"version\":1}\x1e",
			"{\"type\":1,\"invocationId\":\"7\",\"target\":\"SendMessage\",\"arguments\":[\"plimsoll\",\"m-7\"]}\x1e",
			"{\"type\":6}\x1e", "{\"type\":7}\x1e",
		},
		steps: map[int][]frame{0: {
			{"{}\x1e", []string{done}}, {"{}\x1e{\"type\":6}\x1e", []string{done, "nothing"}},
			{"{\"error\":\"Requested protocol 'json' is not available.\"}\x1e", []string{no}},
		}},
		rules: []frame{
			{"{\"type\":3,\"invocationId\":\"7\",\"result\":null}\x1e", []string{"rule 1" + answer + `/invocationId names: "7"`}},
			{"{\"type\":3,\"invocationId\":\"7\",\"error\":\"Unknown hub method 'x'\"}\x1e",
				[]string{"rule 1" + answer + `/invocationId names: "7"; refused: yes`}},
			{"{\"type\":1,\"target\":\"ReceiveMessage\",\"arguments\":[\"plimsoll\",\"m-7\"]}\x1e{\"type\":6}\x1e",
				[]string{"rule 2" + delivery + `/arguments/1 names: "m-7"`, "rule 3" + ignored}},
			{"{\"type\":7,\"error\":\"bye\"}\x1e", []string{"rule 4" + ignored}},
		},
	}
}
