package kv

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// TestDashboard: each metric of the Grafana dashboard is one that the server has, and each of the
// server's own is on it.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/grafana/plimsoll-kv.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	s := stocked(t)
	s.metrics = newMetrics(s, topic.Description{BrokerTime: "x", Metrics: "AwsSqs", Clock: "Aws"})
	gathered, err := s.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	there, shown := make(map[string]bool), make(map[string]bool)
	for _, f := range gathered {
		there[f.GetName()] = true
	}
	exact := regexp.MustCompile(`[A-Za-z_:][A-Za-z0-9_:]*\{`)
	pattern := regexp.MustCompile(`__name__=~"([^"]+)_bucket"`)
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			found := false
			for _, m := range exact.FindAllString(target.Expr, -1) {
				name := strings.TrimSuffix(strings.TrimSuffix(m, "{"), "_bucket")
				found, shown[name] = true, true
				if !there[name] {
					t.Errorf("panel %q: there is no %s", p.Title, name)
				}
			}
			if m := pattern.FindStringSubmatch(target.Expr); m != nil {
				for name := range there {
					if regexp.MustCompile("^" + m[1] + "$").MatchString(name) {
						found, shown[name] = true, true
					}
				}
			}
			if !found {
				t.Errorf("panel %q: %s", p.Title, target.Expr)
			}
		}
	}
	for name := range there {
		own := strings.HasPrefix(name, "plimsoll_kv_") || name[0] >= 'A' && name[0] <= 'Z'
		if own && !shown[name] && name != "plimsoll_kv_publishers" {
			t.Errorf("%s is on no panel", name)
		}
	}
	for _, name := range []string{"ReceivedLowLatencyNotificationsE2EAwsProvided", "AwsSqsReceiveMessageLatency"} {
		if !shown[name] {
			t.Errorf("%s is on no panel", name)
		}
	}
}
