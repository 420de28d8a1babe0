package samples_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/parquet"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/samples"
)

// TestForeignReadersAgree: pyarrow and fastparquet read every value of every row, of several row groups, and hdrhistogram
// reads the percentiles of the rows. One Python process checks all files.
func TestForeignReadersAgree(t *testing.T) {
	python := peertest.Python(t)
	random := rand.New(rand.NewPCG(1, 0))
	at := time.Date(2026, 11, 21, 20, 47, 0, 0, time.UTC)
	var some, groups strings.Builder
	some.WriteString(header)
	for i := range 1000 {
		at = at.Add(time.Duration(random.IntN(500_000_000)))
		status := []string{"ok", "ok", "ok", "rejected: 503", "connect-timeout", "\"a, \"\"b\"\"\""}[random.IntN(6)]
		fmt.Fprintf(&some, "%s,%s,%d.%03d,%s,", at.Format("2006-01-02T15:04:05.000000Z"),
			[]string{"GET /", "\"POST /a,b\"", "é"}[i%3], random.IntN(3000), random.IntN(1000), status)
		if random.IntN(3) == 0 {
			some.WriteString(",,")
		} else {
			fmt.Fprintf(&some, "0.%03d,1.%03d,2.%03d", random.IntN(1000), random.IntN(1000), random.IntN(1000))
		}
		fmt.Fprintf(&some, ",%d\n", random.Int64N(1<<40))
	}
	groups.WriteString("request,latencyMs\n")
	for range parquet.RowsPerGroup + 1000 {
		fmt.Fprintf(&groups, "GET /,%d.%03d\n", random.IntN(3000), random.IntN(1000))
	}
	args := []string{"testdata/python/equal.py"}
	want := ""
	for _, text := range []string{
		some.String(),
		groups.String(),
		header + "2026-11-21T20:47:00.000000Z,GET /,1.000,ok,,,,0\n",
		"timestamp,messageType,latencyMs,statusCode,roomId,phase\n" +
			"2026-11-21T20:47:00.000000Z,TEXT,0.500,ok,3,warm-up\n2026-11-21T20:47:01.999999Z,JOIN,1.000,unfinished,1,window\n",
		"timestamp,operation,responseMs,serviceMs,status\n2026-11-21T20:47:00.000000Z,publish,2.500,2.000,ok\n",
		`"operation","bytes","total","duration","iteration","stream"` + "\n" +
			"\"upload-block\",1024,2048,1.250,1,0\n\"upload\",2048,2048,3.250,1,0\n",
	} {
		rows := strings.Count(text, "\n") - 1
		args = append(args, converted(t, text, rows)...)
		want += fmt.Sprintf("equal %d\n", rows)
	}
	if said, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil || string(said) != want {
		t.Errorf("%v: %s", err, said)
	}
}

// TestPythonReader: the tests of the reader for Python, which are given a file in both of its forms.
func TestPythonReader(t *testing.T) {
	python, dir := peertest.Python(t), t.TempDir()
	from := filepath.Join(dir, "s.csv")
	text := header + "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,0.001,12.000,0.344,512\n" +
		"2026-11-21T20:47:01.000000Z,\"a \"\"b\"\", c\",1000.000,timeout,,,,0\n"
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := samples.Convert(t.Context(), outfile.Files{}, from, filepath.Join(dir, "s.parquet"), false); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "discover", "-s", ".")
	cmd.Dir = filepath.Join("..", "..", "tools", "python")
	cmd.Env = append(os.Environ(), "PLIMSOLL_SAMPLES="+dir)
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "skipped") {
		t.Errorf("%v: %s", err, said)
	}
}

// converted writes a file of samples, converts it to Parquet and to a log, and returns the paths of all three.
func converted(t *testing.T, text string, rows int) []string {
	t.Helper()
	dir := t.TempDir()
	from, table, log := filepath.Join(dir, "s.csv"), filepath.Join(dir, "s.parquet"), filepath.Join(dir, "s.hlog")
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{table, log} {
		if w, err := samples.Convert(t.Context(), outfile.Files{}, from, to, false); err != nil || w.Rows != int64(rows) {
			t.Fatalf("%+v, %v", w, err)
		}
	}
	return []string{from, table, log}
}
