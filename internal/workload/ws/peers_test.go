package ws_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/rundoc"
)

// service is a server that somebody else wrote, and what it speaks.
type service struct {
	preset string
	start  func(t *testing.T) (url string, counts func(t *testing.T) served)
	// change makes of the preset a file with this service's login, and with messages that all are to get.
	change []string
	// bad makes of that file one with further messages, which are refused.
	bad []string
	// stranger makes of that file one whose login is refused, with this cause.
	stranger []string
	cause    string
	nameless bool // what it says of a message that it refuses does not name it
	beats    bool // the clients send the heartbeat, which the service counts
}

// served is what a service counts itself.
type served struct{ Logins, Strangers, Taken, Refused, Delivered, Pongs int64 }

// counting starts a service in JavaScript that gives its counts at /counts.
func counting(script string) func(t *testing.T) (string, func(t *testing.T) served) {
	return func(t *testing.T) (string, func(t *testing.T) served) {
		cmd := exec.Command("node", filepath.Join("testdata", script))
		cmd.Env = append(os.Environ(), "NODE_PATH="+peertest.NodeModules(t))
		url := peertest.Start(t, cmd, peertest.URL)
		return "ws" + strings.TrimPrefix(url, "http"), func(t *testing.T) (s served) {
			t.Helper()
			r, err := http.Get(url + "/counts")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Body.Close() }()
			if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
}

var services = map[string]service{
	"Socket.IO": {
		preset: "socketio", start: counting("socketio.js"),
		change:   []string{`send: "40"`, `send: '40{"token":"secret","room":"${room}"}'`, "${text 80}", "good"},
		bad:      []string{"receive:", `  - {name: bad, send: '42${id}["msg",{"id":"${mark}","room":"${room}","text":"bad"}]'}` + "\nreceive:"},
		stranger: []string{`"token":"secret"`, `"token":"wrong"`}, cause: "open-refused",
	},
	"graphql-ws": {
		preset: "graphql", start: counting("graphql.js"),
		change: []string{
			`'{"type":"connection_init"}'`, `'{"type":"connection_init","payload":{"token":"secret"}}'`,
			"messages:", `  - {send: '{"id":"room","type":"subscribe","payload":{"query":"subscription { messages(room: \"${room}\") { id } }"}}'}
  - {send: '{"id":"there","type":"subscribe","payload":{"query":"{ hello }"}}', expect: {/type: next, /id: there}}
messages:`,
			"query { __typename }", `mutation { send(room: \"${room}\", id: \"${mark}\", text: \"good\") }`,
			"  - {when: {/type: next}, answers", "  - {when: {/type: next, /id: room}, delivery: /payload/data/messages/id}\n  - {when: {/type: next}, answers",
		},
		bad:      []string{"receive:", `  - {name: bad, send: '{"id":"${id}","type":"subscribe","payload":{"query":"mutation { send(room: \"${room}\", id: \"${mark}\", text: \"bad\") }"}}'}` + "\nreceive:"},
		stranger: []string{`"token":"secret"`, `"token":"wrong"`}, cause: "closed-by-peer:4403",
	},
	"mosquitto": {
		preset: "mqtt", start: mosquitto,
		change: []string{"\ncodec: mqtt", "\ncodec: mqtt5", `client_id: "", clean: true,`, `client_id: "", clean: true, username: ann, password: secret,`,
			"after: 30s", "after: 50ms"},
		bad: []string{"receive:", `  - name: bad
    send: {publish: {topic: "others/1", qos: 1, id: "${id 16}", payload: '{"id":"${mark}"}'}}` + "\nreceive:"},
		stranger: []string{"password: secret", "password: wrong"}, cause: "open-refused", beats: true,
	},
	"RabbitMQ": {
		preset: "stomp", start: rabbitmq,
		change:   []string{"login:guest\\npasscode:guest", "login:ann\\npasscode:secret"},
		bad:      []string{"receive:", `  - {name: bad, send: "SEND\ndestination:/nowhere\nreceipt:${mark}\n\n{}"}` + "\nreceive:"},
		stranger: []string{"passcode:secret", "passcode:wrong"}, cause: "open-refused", nameless: true,
	},
}

// changed is a text in which the pairs of texts are replaced, each of which must be there.
func changed(t *testing.T, text string, pairs []string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// TestCountsAgreeWithServersOfOthers: what is told of runs against the servers of others is what these count themselves: logins, refusals,
// heartbeats, and each message at each of 100 receivers.
func TestCountsAgreeWithServersOfOthers(t *testing.T) {
	for name, s := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, counts := s.start(t)
			file := ""
			for _, p := range wsproto.Presets() {
				if p.Name == s.preset {
					file = changed(t, string(p.File), s.change)
				}
			}
			s.refusesStrangers(t, url, changed(t, file, s.stranger), counts)
			s.refusesMessages(t, url, changed(t, file, s.bad), counts)
			s.reachesAll(t, url, file, counts)
		})
	}
}

// until are the counts when they are what they are to be, or after a while: a log may lag behind.
func until(t *testing.T, counts func(t *testing.T) served, done func(served) bool) served {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond) // a log has no event
	defer tick.Stop()
	for deadline := time.Now().Add(runtest.Patience); ; <-tick.C {
		if s := counts(t); done(s) || time.Now().After(deadline) {
			return s
		}
	}
}

func (s *service) refusesStrangers(t *testing.T, url, file string, counts func(t *testing.T) served) {
	t.Helper()
	w, err := ws.New(ws.Options{Protocol: ws.ProtocolOf(t, file), Label: "message", Rooms: 1}, url, "test")
	if err != nil {
		t.Fatal(err)
	}
	client := w.NewClient(0, 1)
	defer client.Close()
	err = client.Connect(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), s.cause) && !strings.Contains(err.Error(), s.cause) {
		t.Errorf("a stranger: %v, want %s", err, s.cause)
	}
	got := until(t, counts, func(s served) bool { return s.Strangers > 0 })
	if got.Strangers != 1 || got.Logins != 0 {
		t.Errorf("a stranger: the service counts %+v", got)
	}
}

const senders = 4

// drive runs n messages against a service.
func drive(t *testing.T, url, file string, n int64, pipeline, receivers int) (*ws.Traffic, rundoc.Operation) {
	t.Helper()
	w, err := ws.New(ws.Options{Protocol: ws.ProtocolOf(t, file), Label: "message", Rooms: 1, Seed: 1,
		Receivers: receivers, Clients: senders, Timeout: time.Minute}, url, "test")
	if err != nil {
		t.Fatal(err)
	}
	run := runtest.Engine(t, engine.Config{Workload: patient{w}, Load: plan.Load{
		Seed: 1, Clients: senders, Pipeline: pipeline, Operations: n, Drain: runtest.Patience,
		Retry: plan.Retry{Timeout: runtest.Patience, Max: 1},
	}})
	_, total := runtest.Document(t, run, "", nil)
	if r := w.Replies(); r.Unmatched.Load()+r.Unreadable.Load()+r.Duplicate.Load()+r.Late.Load() > 0 {
		t.Errorf("replies that were no answers: %+v", r)
	}
	return w, total
}

func (s *service) refusesMessages(t *testing.T, url, file string, counts func(t *testing.T) served) {
	t.Helper()
	const n = 200
	before := counts(t)
	pipeline := 4
	if s.nameless {
		pipeline = 1
	}
	_, total := drive(t, url, file, n, pipeline, 0)
	after := until(t, counts, func(s served) bool { return s.Taken+s.Refused-before.Taken-before.Refused >= n })
	taken, refused := after.Taken-before.Taken, after.Refused-before.Refused
	if refused < n/4 || refused > 3*n/4 || total.Scheduled != n || total.OK != taken || total.Failed != refused ||
		cause(total, "rejected") != refused {
		t.Errorf("%d messages are ok and %d failed (%+v); the service counts %d taken and %d refused",
			total.OK, total.Failed, total.Causes, taken, refused)
	}
}

func (s *service) reachesAll(t *testing.T, url, file string, counts func(t *testing.T) served) {
	t.Helper()
	const n, receivers = 20, 100
	before := counts(t)
	w, total := drive(t, url, file, n, 2, receivers)
	if total.OK != n {
		t.Errorf("%d of %d messages reached everybody: %+v", total.OK, n, total.Causes)
	}
	d, err := w.Fanout().Document()
	if err != nil {
		t.Fatal(err)
	}
	if d.Due != n*receivers || d.Delivered != d.Due || d.Lost+d.Away+d.Duplicated+d.Misordered+d.Foreign+d.OtherRoom > 0 ||
		d.Taken != d.Delivered {
		t.Error(d.Proof())
	}
	after := counts(t)
	if logins := after.Logins - before.Logins; logins != receivers+senders {
		t.Errorf("the service counts %d logins", logins)
	}
	// Those who send are in the room, too, and may leave it before their last copies come.
	got, most := after.Delivered-before.Delivered, int64(n*(receivers+senders))
	if got < d.Delivered+w.Deliveries() || got > most || after.Taken-before.Taken != n {
		t.Errorf("the service counts %d deliveries of %d messages; %d came to receivers, and %d to those who sent",
			got, after.Taken-before.Taken, d.Delivered, w.Deliveries())
	}
	beats := w.Heartbeats()
	if s.beats {
		beats = w.Beats()
	}
	if pongs := after.Pongs - before.Pongs; beats < pongs {
		t.Errorf("%d heartbeats were sent, and the service counts %d", beats, pongs)
	}
	t.Logf("%s; %d heartbeats; %+v", d.Proof(), beats, after)
}
