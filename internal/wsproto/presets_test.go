package wsproto

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// frame is one that a server writes, and what the rules, or a step of the opening, make of each message in it.
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
	for name, hint := range map[string]string{"soketio": "did you mean socketio?", "./x": "known presets: chat, echo, "} {
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
	for i, s := range p.Open {
		rules := []match.Rule{{When: s.Refused}, {When: s.Expect}}
		if len(s.Refused) == 0 {
			rules = rules[1:]
		}
		for _, f := range want.steps[i] {
			holds(t, p, rules, f, func(rule int, _ *match.Matcher) string {
				return []string{no, done}[rule+2-len(rules)]
			})
		}
	}
	var rules []match.Rule
	for _, r := range p.Rules {
		rule := match.Rule{When: r.When, Refused: r.Refused}
		if r.Means == Answers || r.Means == Delivery {
			rule.Of = []match.Selector{r.Of}
		}
		rules = append(rules, rule)
	}
	for _, f := range want.rules {
		holds(t, p, rules, f, func(rule int, found *match.Matcher) string { return means(p, rule, found) })
	}
}

// holds compares what a frame means.
func holds(t *testing.T, p *Protocol, rules []match.Rule, f frame, means func(rule int, found *match.Matcher) string) {
	t.Helper()
	set, err := match.Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	d, found := p.Codec.NewDecoder(), set.NewMatcher()
	d.Begin([]byte(f.text))
	var got []string
	var m codec.Message
	for {
		more, err := d.Next(&m)
		if !more {
			break
		}
		rule := -1
		if err == nil {
			rule, err = found.Match(&m)
		}
		switch {
		case err != nil:
			got = append(got, "unreadable: "+err.Error())
		case rule < 0:
			got = append(got, "nothing")
		default:
			got = append(got, means(rule, found))
		}
	}
	if diff := cmp.Diff(f.want, got); diff != "" {
		t.Errorf("%q: %s", f.text, diff)
	}
}

// means is what a rule makes of a message that it took.
func means(p *Protocol, rule int, found *match.Matcher) string {
	text := fmt.Sprintf("rule %d: ", rule+1)
	switch r := &p.Rules[rule]; r.Means {
	case Ignored:
		return text + "ignored"
	case Reply:
		return text + "replies " + r.Reply.Source
	case Delivery:
		text += "delivers"
	default:
		text += "answers"
	}
	if name, kind := found.Value(0); kind == match.Missing {
		text += " who waits"
	} else {
		text += " " + string(name)
	}
	if found.Refused() {
		text += ", refused"
	}
	return text
}

const (
	done = "the step is done"
	no   = "the server says no"
)

func chatPreset() preset {
	return preset{
		sent: []string{`{"userId":"5201","username":"user5201","message":"As promised, the new build needs one more pair of hands.",` +
			`"roomId":"3","messageType":"TEXT","messageId":"m-7","timestamp":"2027-01-15T08:00:00.123456Z"}`},
		rules: []frame{
			{`{"messageId":"m-7","status":"ok","timestamp":"2027-01-15T08:00:00Z"}`, []string{"rule 2: answers m-7"}},
			{`{"messageId":"m-7","status":"error","error":"too long"}`, []string{"rule 2: answers m-7, refused"}},
			{`{"status":"error","originalMessage":{"messageId":"m-7"}}`,
				[]string{"rule 3: answers m-7, refused"}},
			{`{"status":"error"}`, []string{"rule 4: answers who waits, refused"}},
			{`{"messageId":"m-7","status":"delivered","roomId":"3"}`, []string{"rule 1: delivers m-7"}},
			{`{"hello":1}`, []string{"nothing"}},
		},
	}
}

func echoPreset() preset {
	return preset{
		sent:  []string{`{"id":"m-7","text":""}`},
		rules: []frame{{`{"id":"m-7","text":"a"}`, []string{"rule 1: answers m-7"}}},
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
			{"2", []string{`rule 1: replies 3`}},
			{`437["ok"]`, []string{"rule 2: answers 7"}},
			{`437[{"error":"no"}]`, []string{"rule 2: answers 7, refused"}},
			{"437[]", []string{"rule 2: answers 7"}},
			{`42["msg",{"id":"m-7","room":"3","text":""}]`, []string{"rule 3: delivers m-7"}},
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
			{"RECEIPT\nreceipt-id:m-7\n\n\x00", []string{"rule 1: answers m-7"}},
			{message, []string{"rule 2: delivers m-7"}},
			{message + "\n" + "RECEIPT\nreceipt-id:m-7\n\n\x00\n",
				[]string{"rule 2: delivers m-7", "rule 1: answers m-7"}},
			{"ERROR\nmessage:not_found\n\n\x00", []string{"rule 3: answers who waits, refused"}},
			{"ERROR\nreceipt-id:m-7\n\n\x00", []string{"rule 3: answers m-7, refused"}},
			{"\n", []string{"rule 4: ignored"}},
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
			{"\x40\x02\x00\x07", []string{"rule 1: answers 7"}},
			{"\x40\x03\x00\x07\x87", []string{"rule 1: answers 7, refused"}},
			{"\x30\x18\x00\x0aplimsoll/3{\"id\":\"m-7\"}\xd0\x00", []string{"rule 2: delivers m-7", "rule 3: ignored"}},
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
			{`{"type":"ping"}`, []string{`rule 1: replies {"type":"pong"}`}},
			{`{"id":"7","type":"next","payload":{"data":{"__typename":"Query"}}}`, []string{"rule 2: answers 7"}},
			{`{"id":"7","type":"next","payload":{"errors":[{"message":"no"}],"data":null}}`,
				[]string{"rule 2: answers 7, refused"}},
			{`{"id":"7","type":"error","payload":[{"message":"Syntax Error"}]}`, []string{"rule 3: answers 7, refused"}},
			{`{"id":"7","type":"complete"}`, []string{"rule 4: ignored"}},
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
			{`["join","7","room:3","phx_reply",{"response":{},"status":"ok"}]`, []string{"rule 2: answers 7"}},
			{`["join","7","room:3","phx_reply",{"response":{"reason":"full"},"status":"error"}]`,
				[]string{"rule 3: answers 7, refused"}},
			{`[null,null,"room:3","new_msg",{"id":"m-7","body":""}]`, []string{"rule 4: delivers m-7"}},
			{`[null,"beat","phoenix","phx_reply",{"response":{},"status":"ok"}]`, []string{"rule 1: ignored"}},
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
			{`{"id":7,"publish":{}}`, []string{"rule 3: answers 7"}},
			{`{"id":7,"error":{"code":103,"message":"permission denied"}}`, []string{"rule 3: answers 7, refused"}},
			{"{}", []string{"rule 4: replies {}"}},
			{`{"push":{"channel":"room:3","pub":{"data":{"id":"m-7","text":""},"offset":3}}}` + "\n" + `{"id":7,"publish":{}}`,
				[]string{"rule 1: delivers m-7", "rule 3: answers 7"}},
			{`{"push":{"channel":"room:3","join":{"info":{"client":"x"}}}}`, []string{"rule 2: ignored"}},
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
			{"{\"type\":3,\"invocationId\":\"7\",\"result\":null}\x1e", []string{"rule 1: answers 7"}},
			{"{\"type\":3,\"invocationId\":\"7\",\"error\":\"Unknown hub method 'x'\"}\x1e",
				[]string{"rule 1: answers 7, refused"}},
			{"{\"type\":1,\"target\":\"ReceiveMessage\",\"arguments\":[\"plimsoll\",\"m-7\"]}\x1e{\"type\":6}\x1e",
				[]string{"rule 2: delivers m-7", "rule 3: ignored"}},
			{"{\"type\":7,\"error\":\"bye\"}\x1e", []string{"rule 4: ignored"}},
		},
	}
}
