package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
)

func TestParseClientStages(t *testing.T) {
	stages, err := plan.ParseClientStages("10s:50, 1m:50,10s:0")
	if err != nil || plan.FormatClientStages(stages) != "10s:50,1m0s:50,10s:0" {
		t.Errorf("%v, %v", stages, err)
	}
	for text, want := range map[string]string{
		"":                        "no stage given",
		"10s":                     "has no colon",
		"x:5":                     "x",
		"10s:-1":                  `"-1" is not a number of clients`,
		"10s:1.5":                 `"1.5" is not a number of clients`,
		"10s:5,0s:5":              "stage 2: its duration is 0s",
		"10s:99999999":            "is not a number of clients from 0 to 1000000",
		"10s:9223372036854775808": "is not a number of clients",
	} {
		if _, err := plan.ParseClientStages(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestActiveFrom(t *testing.T) {
	l := plan.Load{StartClients: 1, ClientStages: []plan.ClientStage{
		{Duration: 10 * time.Second, Clients: 1}, {Duration: 2 * time.Second, Clients: 3}, {Duration: 3 * time.Second, Clients: 0},
		{Duration: time.Second, Clients: 2},
	}}
	for _, tt := range []struct {
		client int
		at     time.Duration
		want   time.Duration // -1: never
	}{
		{0, 0, 0}, {0, 11 * time.Second, 11 * time.Second}, {1, 0, 10 * time.Second}, {2, 0, 11 * time.Second},
		{2, 12 * time.Second, 12 * time.Second}, {2, 13 * time.Second, -1}, {0, 15 * time.Second, 15 * time.Second},
		{1, 14 * time.Second, 15500 * time.Millisecond}, {3, 0, -1}, {0, 17 * time.Second, -1},
	} {
		got, ok := l.ActiveFrom(tt.client, tt.at)
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("client %d at %v: %v, want %v", tt.client, tt.at, got, tt.want)
		}
	}
}

func TestClientStagesAreRefused(t *testing.T) {
	stages := []plan.ClientStage{{Duration: time.Second, Clients: 5}}
	for _, tt := range []struct {
		load  plan.Load
		given string
		want  string
	}{
		{plan.Load{ClientStages: stages, Rate: 5}, "rate", "--client-stages has no effect with --rate or --stages"},
		{plan.Load{ClientStages: stages, Ramp: 1}, "ramp", "--ramp and --client-stages are both given"},
		{plan.Load{ClientStages: stages, Duration: 1}, "duration", "--duration and --client-stages are both given"},
		{plan.Load{ClientStages: stages, Operations: 1}, "messages", "--messages and --client-stages are both given"},
		{plan.Load{ClientStages: []plan.ClientStage{{Duration: 1}}}, "", "--client-stages never has a client"},
	} {
		l := tt.load
		l.Pipeline, l.Retry = 1, plan.DefaultRetry()
		if err := l.Resolve(func(flag string) bool { return flag == tt.given }); err != nil {
			t.Fatal(err)
		}
		var got error
		for _, rule := range l.Rules() {
			if err := rule(); err != nil && got == nil {
				got = err
			}
		}
		if got == nil || !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%v, want %q", got, tt.want)
		}
	}
}
