//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// costLoop is the main of a client whose calls cost what its arguments say: so many calls, and so many steps of work
// behind each.
func costLoop() {
	if err := costCalls(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "costloop:", err)
		os.Exit(1)
	}
}

func costCalls(args []string) error {
	var calls, steps int
	if _, err := fmt.Sscan(strings.Join(args, " "), &calls, &steps); err != nil {
		return err
	}
	for range calls {
		req, err := http.NewRequest(http.MethodPost, os.Getenv("AWS_ENDPOINT_URL"), strings.NewReader(`{"TableName":"t"}`))
		if err != nil {
			return err
		}
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
		req.Header.Set("Content-Type", "application/x-amz-json-1.0")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
		if x := worked(steps); x == 0 {
			return errors.New("nothing was worked out")
		}
	}
	return nil
}

// worked takes a time that rises with the steps.
func worked(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

const costCallsEach = 400

func costing(steps int) string { return fmt.Sprintf("costloop %d %d", costCallsEach, steps) }

// opposed runs plimsoll overhead --against and gives what came of it.
func opposed(tb testing.TB, now, before string, args ...string) *setdoc.Comparison {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{"overhead", "--exec", now, "--against", before, "--json", "--no-save",
		"--quiet", "--busy-limit", "0"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var status *exec.ExitError
	if err != nil && !(errors.As(err, &status) && len(out) > 0) { // on a busy machine runs are not to be trusted
		tb.Fatalf("%v\n%s", err, &stderr)
	}
	set, err := setdoc.Read(bytes.NewReader(out))
	if err != nil || set.Comparison == nil {
		tb.Fatalf("%v\n%s", err, &stderr)
	}
	return set.Comparison
}

// BenchmarkOverheadAgainst compares a client with one that costs a measured 5% more for each call, and with itself.
// PLIMSOLL_CAMPAIGNS is how many times (20), two minutes each.
func BenchmarkOverheadAgainst(b *testing.B) {
	campaigns := 20
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_CAMPAIGNS")); err == nil && n > 0 {
		campaigns = n
	}
	const steps = 200_000
	median := func(steps int) float64 {
		out, err := exec.Command("plimsoll", "overhead", "--exec", costing(steps), "--json", "--no-save", "--quiet").Output()
		if err != nil && len(out) == 0 {
			b.Fatal(err)
		}
		doc, err := rundoc.Read(bytes.NewReader(out))
		if err != nil || len(doc.Overhead().Rows) != 1 {
			b.Fatalf("%v: %s", err, out)
		}
		return doc.Overhead().Rows[0].SDKTime.MedNS
	}
	few, many := median(steps), median(2*steps)
	slower := steps + int(math.Round(0.05*few*steps/(many-few)))
	for b.Loop() {
		found, falsely, missed := 0, 0, 0
		for range campaigns {
			for _, r := range opposed(b, costing(steps)+" #", costing(steps)).Rows {
				if r.Outcome == setdoc.Better || r.Outcome == setdoc.Worse {
					falsely++
					break
				}
			}
			c := opposed(b, costing(slower), costing(steps))
			for _, r := range c.Rows {
				name := c.Figures[r.Figure].Name
				if r.Ratio != nil {
					b.Logf("%s: %.3f, %s by %d launches", name, *r.Ratio, r.Outcome, r.Launches)
				}
				switch {
				case name != "sdk.geomean":
				case r.Outcome == setdoc.Worse:
					found++
				default:
					missed++
				}
			}
		}
		b.ReportMetric(float64(found), "found")
		b.ReportMetric(float64(falsely), "false")
		b.Logf("%.0f µs a call: found in %d of %d, false in %d", few/1e3, found, campaigns, falsely)
		if found+missed != campaigns || 20*found < 16*campaigns || 20*falsely > 3*campaigns {
			b.Errorf("found in %d of %d campaigns, false in %d", found, campaigns, falsely)
		}
	}
	b.ReportMetric(0, "ns/op")
}
