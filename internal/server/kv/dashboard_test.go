package kv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// deployed is where the dashboards are, a directory for each program that shows them.
const deployed = "../../../deploy"

// queriesOf reads the queries of the dashboards of a program, by title of the panel and a letter. What the program
// fills in is filled in.
func queriesOf(t *testing.T, program string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(deployed, program, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards for %s: %v", program, err)
	}
	filled := strings.NewReplacer("$job", ".*", "$instance", ".*", "$__rate_interval", "1m", "${__interval}", "1m")
	queries := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range panelsOf(t, text) {
			for i, query := range p.queries {
				queries[fmt.Sprintf("%s: %s %c", program, p.title, 'A'+i)] = filled.Replace(query)
			}
		}
	}
	return queries
}

// panel is one chart.
type panel struct {
	title   string
	queries []string
}

// panelsOf reads a dashboard of either program.
func panelsOf(t *testing.T, text []byte) (all []panel) {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		MosaicLayout struct {
			Tiles []struct {
				Widget struct {
					Title   string
					XyChart struct {
						DataSets []struct {
							TimeSeriesQuery struct{ PrometheusQuery string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		one := panel{title: p.Title}
		for _, target := range p.Targets {
			one.queries = append(one.queries, target.Expr)
		}
		all = append(all, one)
	}
	for _, tile := range d.MosaicLayout.Tiles {
		one := panel{title: tile.Widget.Title}
		for _, set := range tile.Widget.XyChart.DataSets {
			one.queries = append(one.queries, set.TimeSeriesQuery.PrometheusQuery)
		}
		all = append(all, one)
	}
	return all
}

// named are the metrics that a query names, and the patterns of names.
func named(query string) (names []string, patterns []*regexp.Regexp) {
	bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(query, `""`)
	for _, m := range regexp.MustCompile(`([A-Za-z_][\w:]*)[{\[]|^([a-z_]+)$`).FindAllStringSubmatch(bare, -1) {
		names = append(names, strings.TrimSuffix(m[1]+m[2], "_bucket"))
	}
	for _, m := range regexp.MustCompile(`__name__=~"([^"]+?)(_bucket)?"`).FindAllStringSubmatch(query, -1) {
		patterns = append(patterns, regexp.MustCompile("^(?:"+m[1]+")$"))
	}
	return names, patterns
}

// TestDashboards: each metric of the dashboards is one that the server has, or Pub/Sub, and each of the server's own
// is on Grafana's.
func TestDashboards(t *testing.T) {
	there := make(map[string]bool)
	for _, d := range []topic.Description{
		{BrokerTime: "x", Metrics: "AwsSqs", Clock: "Aws"}, {BrokerTime: "x", Metrics: "GcpPubSub", Clock: "GCP"},
	} {
		gathered, err := newMetrics(stocked(t), d).Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range gathered {
			there[f.GetName()] = true
		}
	}
	google := []string{"pubsub_googleapis_com:topic_message_sizes_count",
		"pubsub_googleapis_com:topic_message_sizes_sum", "pubsub_googleapis_com:topic_send_request_count"}
	shown := make(map[string]bool)
	for _, program := range []string{"grafana", "cloud-monitoring"} {
		for title, query := range queriesOf(t, program) {
			names, patterns := named(query)
			if len(names)+len(patterns) == 0 {
				t.Errorf("%s: %s", title, query)
			}
			for _, name := range names {
				if !there[name] && !(program == "cloud-monitoring" && slices.Contains(google, name)) {
					t.Errorf("%s: there is no %s", title, name)
				}
				shown[name] = shown[name] || program == "grafana"
			}
			for _, pattern := range patterns {
				found := false
				for name := range there {
					if pattern.MatchString(name) {
						found, shown[name] = true, true
					}
				}
				if !found {
					t.Errorf("%s: there is no %s", title, pattern)
				}
			}
		}
	}
	for name := range there {
		own := strings.HasPrefix(name, "plimsoll_kv_") || name[0] >= 'A' && name[0] <= 'Z'
		if own && !shown[name] && name != "plimsoll_kv_publishers" {
			t.Errorf("%s is on no panel", name)
		}
	}
}
