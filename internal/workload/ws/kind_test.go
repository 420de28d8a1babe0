package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/runtest"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestOutcomes(t *testing.T) {
	runtest.Outcomes(t, &rundoc.WSDetail{}, fault.OK, (&Command{}).Conclude)
}

// resolve is a command of these arguments and flags.
func resolve(args []string, given ...string) (*Command, error) {
	c := &Command{Plan: DefaultPlan()}
	var names []string
	for _, g := range given {
		name, value, _ := strings.Cut(g, "=")
		names = append(names, name)
		if value == "" {
			value = "true"
		}
		if err := c.Settings().Lookup(name).Set(value); err != nil {
			return c, err
		}
	}
	return c, c.Resolve(args, func(flag string) bool {
		for _, name := range names {
			if name == flag {
				return true
			}
		}
		return false
	})
}

// file is a protocol in a file of this name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	answering = "protocol: 1\ncodec: json\nmessages: [{send: '{\"id\":${id}}'}]\nreceive: [{answers: /id}]\n"
	delivered = "protocol: 1\ncodec: json\nmessages: [{send: '{\"id\":\"${mark}\"}'}]\nreceive: [{delivery: /id}]\n"
	service   = "ws://h/p"
)

// Bad input has one line that says what is wrong, and one that says what to do.
func TestInvalidInputIsRefused(t *testing.T) {
	my, fans := file(t, "my.yaml", answering), file(t, "fans.yaml", delivered)
	for name, c := range map[string]struct {
		args, flags []string
		want, hint  string
	}{
		"nothing is said of what it speaks": {[]string{service}, nil, "no protocol given for ws://h/p", "a preset (chat, echo, socketio"},
		"two ways to say it": {[]string{service}, []string{"protocol=echo", "message=x"},
			"--protocol and --message cannot be combined", "use one"},
		"answers to no message": {[]string{service}, []string{"protocol=echo", "answers=order"}, "--answers needs --message", "receive:"},
		"a preset that is none": {[]string{service}, []string{"protocol=soketio"}, "no such file", "neither a preset nor a file"},
		"a file that is none":   {[]string{service}, []string{"protocol=/no/such"}, "no such file", "use the name of a file or of a preset"},
		"the demo speaks little": {nil, []string{"protocol=mqtt"}, "the demo server does not speak mqtt",
			"plimsoll ws ws://HOST:PORT/PATH --protocol mqtt"},
		"a file as the URL":       {[]string{my}, nil, "is a protocol, not a URL", "plimsoll ws URL --protocol"},
		"a preset as the URL":     {[]string{"socketio"}, nil, "socketio is a protocol, not a URL", "--protocol socketio"},
		"two URLs":                {[]string{service, "ws://g/"}, []string{"protocol=echo"}, "two URLs given", "give one"},
		"an empty URL":            {[]string{""}, nil, "an argument is empty", "the demo"},
		"http":                    {[]string{"http://h/"}, []string{"protocol=echo"}, "has the scheme http,", "write ws://h/"},
		"nothing answers":         {[]string{service}, []string{"protocol=" + fans}, "no rule recognizes replies", "--fanout"},
		"nothing is delivered":    {[]string{service}, []string{"protocol=" + my, "fanout"}, "no rule recognizes deliveries", "delivery: SELECTOR"},
		"receivers of nothing":    {[]string{service}, []string{"protocol=echo", "receivers=5"}, "--receivers needs --fanout", "add --fanout"},
		"rooms without receivers": {[]string{"ws://h/{room}"}, []string{"protocol=" + fans, "fanout", "rooms=9", "receivers=5"}, "exceeds the 5 receivers", "--rooms to 5"},
		"rooms without messages":  {[]string{service}, []string{"protocol=echo", "rooms=9", "messages=5"}, "exceeds the 5 messages", "--rooms to 5"},
		"--ca without TLS":        {[]string{service}, []string{"protocol=echo", "insecure"}, "--insecure needs TLS", "wss://"},
		"a check of nothing":      {nil, []string{"check"}, "--inspect needs the URL of a server", "plimsoll ws --inspect chat ws://"},
		"a check of two":          {[]string{my, service}, []string{"check", "protocol=echo"}, "two protocols given", "remove one"},
		"a check and a list":      {[]string{service}, []string{"check", "protocols"}, "cannot be combined", "use one of them"},
		"an id that nothing answers by": {[]string{service}, []string{`message={"n":${id}}`},
			"no rule matches replies by the ${id}", "answers: SELECTOR"},
		"more that wait than ids": {[]string{service}, []string{`message={"n":${id 8}}`, "answers=/n", "pipeline=256"},
			"${id 8} has only 255 values", "lower --pipeline"},
		"a selector of text": {[]string{service}, []string{"message=ping ${id}", "answers=/id"}, "is a JSON pointer, but messages of the text codec have no body", ""},
	} {
		_, err := resolve(c.args, c.flags...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.hint) ||
			fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v (%s), want %q (%q)", name, err, fault.HintOf(err), c.want, c.hint)
		}
	}
}

// What is said by arguments and flags is what is done.
func TestResolve(t *testing.T) {
	my, fans := file(t, "my.yaml", answering), file(t, "fans.yaml", delivered)
	for name, c := range map[string]struct {
		args, flags          []string
		url, protocol, codec string
		retries, messages    int
		echoed               bool
	}{
		"the demo":               {nil, nil, "", "chat", "json", 5, 3, false},
		"a demo that echoes":     {nil, []string{"protocol=echo"}, "", "echo", "json", 5, 1, true},
		"a demo of one message":  {nil, []string{"message=hello"}, "", "one message", "text", 5, 1, true},
		"a preset":               {[]string{service}, []string{"protocol=stomp"}, service, "stomp", "stomp", 5, 1, false},
		"a file":                 {[]string{service}, []string{"protocol=" + my}, service, my, "json", 5, 1, false},
		"a message of JSON":      {[]string{service}, []string{`message= {"a": "\"é\""}`}, service, "one message", "json", 5, 1, true},
		"a message with its id":  {[]string{service}, []string{`message=[${id}]`, "answers=/0"}, service, "one message", "json", 5, 1, true},
		"one after the other":    {[]string{service}, []string{`message=x`, "answers=only"}, service, "one message", "text", 5, 1, true},
		"fan-out":                {[]string{service}, []string{"protocol=" + fans, "fanout"}, service, fans, "json", 0, 1, false},
		"fan-out, and retries":   {[]string{service}, []string{"protocol=" + fans, "fanout", "max-retries=2"}, service, fans, "json", 2, 1, false},
		"check FILE URL":         {[]string{my, service}, []string{"check"}, service, my, "json", 5, 1, false},
		"check URL FILE":         {[]string{service, my}, []string{"check"}, service, my, "json", 5, 1, false},
		"check PRESET URL":       {[]string{"mqtt", service}, []string{"check"}, service, "mqtt", "mqtt", 5, 1, false},
		"check URL --protocol X": {[]string{service}, []string{"check", "protocol=" + my}, service, my, "json", 5, 1, false},
	} {
		got, err := resolve(c.args, c.flags...)
		if err != nil {
			t.Errorf("%s: %v (%s)", name, err, fault.HintOf(err))
			continue
		}
		p := &got.Plan
		if p.URL != c.url || p.Speech.name() != c.protocol || got.protocol.Codec.Name() != c.codec || p.Load.Retry.Max != c.retries ||
			len(got.protocol.Messages) != c.messages || p.Speech.echoed() != c.echoed {
			t.Errorf("%s: %q speaks %q (%s), %d retries, %d messages, echoed %v", name, p.URL, p.Speech.name(),
				got.protocol.Codec.Name(), p.Load.Retry.Max, len(got.protocol.Messages), p.Speech.echoed())
		}
	}
	if c, _ := resolve(nil); c.Plan.Load.ThinkTime != demoThinkTime {
		t.Errorf("the demo's clients pause %v", c.Plan.Load.ThinkTime)
	}
}

// A table on the command line stands in for that of the file, and is used.
func TestCSVFlagReplacesTable(t *testing.T) {
	rows := file(t, "rows.csv", "name,pin\nann,1\nbob,2\n")
	named := file(t, "named.yaml", strings.Replace(answering, "codec:", "csv: /no/such\ncodec:", 1))
	using := file(t, "using.yaml", strings.Replace(answering, `{"id":${id}}`, `{"id":${id},"who":"${csv.name}"}`, 1))
	c, err := resolve([]string{service}, "protocol="+using, "csv="+rows)
	if err != nil || len(c.protocol.Rows) != 2 || c.protocol.Columns[1] != "pin" {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	if c, err := resolve([]string{service}, "message=I am ${csv.name}", "csv="+rows); err != nil || len(c.protocol.Rows) != 2 {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	for want, flags := range map[string][]string{
		"--data-file: no message uses a column": {"protocol=" + named, "csv=" + rows},
		"--data-file: open /none: no such file": {"protocol=" + using, "csv=/none"},
		"no CSV file is given for column":       {"protocol=" + using},
	} {
		if _, err := resolve([]string{service}, flags...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", flags, err, want)
		}
	}
}

// A file of the name of a preset is written with its folder.
func TestFileNamedAsAPreset(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("echo", []byte(answering), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, preset := range map[string]bool{"echo": true, "./echo": false} {
		c, err := resolve([]string{service}, "protocol="+given)
		if err != nil || c.Plan.Speech.isPreset() != preset {
			t.Errorf("%s: preset %v, %v", given, c.Plan.Speech.isPreset(), err)
		}
	}
}

// The presets are listed, and each is printed as a file that is read as the preset is.
func TestPresetsArePrinted(t *testing.T) {
	said := func(flags ...string) string {
		t.Helper()
		c, err := resolve(nil, flags...)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := c.Run(context.Background(), &run.Env{Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Job(nil); err == nil {
			t.Errorf("%v make a run", flags)
		}
		return out.String()
	}
	list := said("protocols")
	for _, name := range presetNames() {
		if !strings.Contains(list, "\n"+name+" ") && !strings.HasPrefix(list, name+" ") {
			t.Errorf("%s is not in\n%s", name, list)
		}
		my := file(t, "my.yaml", said("show-protocol="+name))
		if _, err := resolve([]string{service}, "protocol="+my); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := resolve(nil, "show-protocol=mqqt")
	if err == nil {
		err = c.Run(context.Background(), &run.Env{Stdout: &bytes.Buffer{}})
	}
	if err == nil || !strings.Contains(fault.HintOf(err), "mqtt") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
}

// The plan of a document has what was asked for, without secrets.
func TestPlanDocument(t *testing.T) {
	c, err := resolve([]string{"wss://me:hunter2@h/p?token=hunter2"}, "protocol=chat", "fanout", "receivers=7", "rooms=3",
		"header=Authorization: hunter2", "seed=4")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c.Plan)
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Fatalf("%v: %s", err, text)
	}
	var got struct {
		Protocol struct {
			Name  string
			Rooms int
		}
		Load struct {
			Fanout    bool
			Receivers int
			Seed      uint64
		}
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Protocol.Name != "chat" || got.Protocol.Rooms != 3 ||
		!got.Load.Fanout || got.Load.Receivers != 7 || got.Load.Seed != 4 {
		t.Errorf("%v: %s", err, text)
	}
}

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c, err := resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags(show.SpeechFlags()), "header", "subprotocol", "stages", "message",
		"bearer", "proxy", "resolve")
}

// TestSamplesQuoteNames: a row has the message's name, quoted where it has to be.
func TestSamplesQuoteNames(t *testing.T) {
	s := SamplesOf(&plan.Output{Samples: "x.csv"}, "message", []string{`say "hi", all`})
	if s.Header != "timestamp,message,latencyMs,statusCode,roomId\n" {
		t.Error(s.Header)
	}
	if got := quoted(`say "hi", all`); got != `"say ""hi"", all"` {
		t.Error(got)
	}
}
