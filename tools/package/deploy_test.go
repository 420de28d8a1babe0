package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"
)

// The job is what Kubernetes' own schemas say, without a field that they do not know; in an old and in a new version.
func TestJobIsValid(t *testing.T) {
	python(t, `
import sys
import kubernetes_validate, yaml
count = 0
for document in yaml.safe_load_all(open(sys.argv[1])):
    for version in ["1.29", "1.37"]:
        kubernetes_validate.validate(document, version, strict=True)
    count += 1
sys.exit(0 if count == 2 else "%d documents, and not 2" % count)`, filepath.Join("..", "..", "deploy", "k8s", "job.yaml"))
}

// job is what the tests read of deploy/k8s/job.yaml.
type job struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string // of the plan
	Spec     struct {
		BackoffLimit *int `yaml:"backoffLimit"`
		Template     struct {
			Spec struct {
				EnableServiceLinks *bool `yaml:"enableServiceLinks"`
				Containers         []struct {
					Image     string
					Args      []string
					Env       []struct{ Name, Value string }
					Resources struct{ Requests, Limits map[string]string }
				}
			}
		}
	}
}

func readJob(t *testing.T) (plan, made job) {
	t.Helper()
	in, err := os.Open(filepath.Join("..", "..", "deploy", "k8s", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	documents := yaml.NewDecoder(in)
	if err := documents.Decode(&plan); err != nil {
		t.Fatal(err)
	}
	if err := documents.Decode(&made); err != nil {
		t.Fatal(err)
	}
	return plan, made
}

// What a measurement needs of a job, and no schema asks for.
func TestJobMeasures(t *testing.T) {
	_, made := readJob(t)
	if made.Spec.BackoffLimit == nil || *made.Spec.BackoffLimit != 0 {
		t.Error("a measurement that failed is made again")
	}
	pod := made.Spec.Template.Spec
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		t.Error("the services of the namespace get into its environment")
	}
	container := pod.Containers[0]
	for _, name := range []string{"cpu", "memory"} {
		if request, limit := container.Resources.Requests[name], container.Resources.Limits[name]; request != limit || request == "" {
			t.Errorf("%s: it asks for %q and may have %q", name, request, limit)
		}
	}
	if cpu := container.Resources.Limits["cpu"]; strings.Trim(cpu, "0123456789") != "" {
		t.Errorf("%s are not whole processors", cpu)
	}
}

// The job's own command carries out the job's own plan, against a server that stands in for the service.
func TestJobRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the product, and measures")
	}
	plan, made := readJob(t)
	dir := t.TempDir()
	binary := built(t)
	file := filepath.Join(dir, "plan.yaml")
	// The same plan, for a second; what it finds there says nothing of goals.
	text := strings.ReplaceAll(plan.Data["plan.yaml"], "duration: 1m", "duration: 1s\n      warmup-requests: 10")
	text = strings.ReplaceAll(text, `thresholds: ["p99<250ms", "failed<0.1%"]`, `thresholds: ["p99<1h"]`)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	container := made.Spec.Template.Spec.Containers[0]
	args := slices.Clone(container.Args)
	args[slices.Index(args, "/plan/plan.yaml")] = file
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, container.Env[0].Name+"="+serve(t, binary))
	out := tellMeasured(t, cmd)
	if !strings.Contains(out, `"steady"`) || !strings.HasPrefix(out, "{") {
		t.Errorf("it prints\n%.2000s", out)
	}
}

// built is the product as it stands here.
func built(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "plimsoll")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary,
		"./cmd/plimsoll")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOWORK=", "CGO_ENABLED=0")
	tell(t, cmd)
	return binary
}

// serve starts a server and says where it is.
func serve(t *testing.T, binary string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "serve", "http", "--listen", "127.0.0.1:0")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // that it is gone already is as well
		_ = cmd.Wait()
	})
	line := make([]byte, 1000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(line[:n])) {
		if strings.HasPrefix(word, "http://") {
			return word
		}
	}
	t.Fatalf("the server says %q", line[:n])
	return ""
}

// The file is read by what 'docker compose' reads it with; and both containers are of one image, with a command that
// the program takes.
func TestComposeIsValid(t *testing.T) {
	file := filepath.Join("..", "..", "deploy", "compose.yaml")
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: t.TempDir(), ConfigFiles: []types.ConfigFile{{Filename: file}},
		Environment: types.Mapping{"PLIMSOLL_VERSION": testVersion}}, loader.WithProfiles([]string{"*"}))
	if err != nil {
		t.Fatal(err)
	}
	if len(project.Services) != 2 {
		t.Errorf("its services are %v", project.ServiceNames())
	}
	binary := built(t)
	for name, service := range project.Services {
		if service.Image != imageName+":"+testVersion {
			t.Errorf("%s has the image %q", name, service.Image)
		}
		// --help reads the flags before it, and refuses those that there are not.
		tell(t, exec.CommandContext(t.Context(), binary, append(slices.Clone([]string(service.Command)), "--help")...))
	}
}
