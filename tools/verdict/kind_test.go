package main

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadServed(t *testing.T) {
	for _, tt := range []struct {
		text   string
		broker bool
		want   served
	}{
		{"serving chat at ws://127.0.0.1:8080\n", false, served{url: "ws://127.0.0.1:8080"}},
		{"serving S3 at http://198.18.0.2:9000, bucket plimsoll; metrics at http://198.18.0.2:9000/m\n", false,
			served{url: "http://198.18.0.2:9000"}},
		{"serving keys and values at http://127.0.0.1:81\npublishers on this machine: nats://TOKEN@127.0.0.1:82\n", true,
			served{url: "http://127.0.0.1:81", broker: "nats://TOKEN@127.0.0.1:82"}},
		{"cannot listen\n", false, served{}},
		{"serving keys and values at http://127.0.0.1:81\nno more\n", true, served{url: "http://127.0.0.1:81"}},
	} {
		got, err := readServed(bufio.NewReader(strings.NewReader(tt.text)), tt.broker)
		whole := tt.want.url != "" && (!tt.broker || tt.want.broker != "")
		if got != tt.want || (err == nil) != whole {
			t.Errorf("%q is %+v, %v", tt.text, got, err)
		}
	}
}

// TestAsking: an open model does not wait for a queue that the target cannot take.
func TestAsking(t *testing.T) {
	for _, c := range conditions() {
		p := newTrial(c, 0, 1, load{Rate: 300, Clients: 5})
		args := p.asking(served{url: "u", broker: "b"}, time.Second)
		open := c.kind == updates || c.open || c.rate > 0
		if slices.Contains(args, "--rate") != open || slices.Contains(args, "--drain") != open {
			t.Errorf("%s: %q", c.name, args)
		}
	}
}
