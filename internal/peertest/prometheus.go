package peertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// PrometheusProgram is where the program is. Without it the test is skipped.
func PrometheusProgram(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("PLIMSOLL_PROMETHEUS"); path != "" {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no Prometheus; run 'make test' on Debian, or install one")
	}
	return path
}

// Prometheus is one that scrapes a target.
type Prometheus struct{ url string }

// StartPrometheus has a Prometheus scrape host:port so often, as this job, with native histograms or with classic ones.
func StartPrometheus(t testing.TB, job, target string, every time.Duration, native bool) Prometheus {
	t.Helper()
	program, dir, address := PrometheusProgram(t), t.TempDir(), Addresses(t, 1)[0]
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: %v, scrape_timeout: %v}\nscrape_configs:\n"+
		"- {job_name: %s, static_configs: [{targets: [%q]}]}\n", every, every, job, target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", address)
	if native {
		cmd.Args = append(cmd.Args, "--enable-feature=native-histograms")
	}
	Start(t, cmd, "Server is ready to receive web requests")
	return Prometheus{"http://" + address}
}

// Series is one series of an answer.
type Series struct {
	Metric map[string]string
	Value  [2]any   // of an instant: when, and what as a text
	Values [][2]any // of a range
}

// Query asks a query now. What Prometheus calls wrong ends the test.
func (p Prometheus) Query(t testing.TB, query string) []Series {
	t.Helper()
	response, err := http.PostForm(p.url+"/api/v1/query", url.Values{"query": {query}})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body struct {
		Error string
		Data  struct{ Result []Series }
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil || body.Error != "" {
		t.Fatalf("%s: %v %s", query, err, body.Error)
	}
	return body.Data.Result
}
