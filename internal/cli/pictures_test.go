package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "draw the pictures of the documents anew")

// The pictures of the documents are what the program shows of a run that is kept beside them, so that they
// cannot differ from it: the answer as a terminal has it, and the chart.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "docs", "pictures")
	doc, err := rundoc.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	kind := reportKind(doc.Workload)
	var answer bytes.Buffer
	opt := report.Options{Width: 88, Colour: true, Rest: "plimsoll report last --full"}
	if err := report.Brief(&answer, doc, kind, opt); err != nil {
		t.Fatal(err)
	}
	const command = "plimsoll chat 'ws://127.0.0.1:8080/chat/{room}' --rate 2000 --duration 30s"
	if !strings.Contains(command, "'"+doc.Target.URL+"'") {
		t.Errorf("the run is of %s, and not of %s", doc.Target.URL, command)
	}
	comparePicture(t, filepath.Join(dir, "answer.svg"), terminalSVG("$ "+command+"\n\n"+answer.String(), opt.Width))

	var chart bytes.Buffer
	if err := run.Chart(kind, "chart.svg")(&chart, doc); err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round the coordinates of the chart in another way")
	}
	comparePicture(t, filepath.Join(dir, "chart.svg"), chart.Bytes())
}

func comparePicture(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the program shows now: look at it after 'go test ./internal/cli -run Pictures -update'", path)
	}
}
