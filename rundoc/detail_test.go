package rundoc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Each kind's detail comes back as what it was, once and whole.
func TestDetailsAreReadAsThoseOfTheirWorkload(t *testing.T) {
	_, bandwidth := soundBandwidth(t)
	for workload, detail := range map[string]rundoc.Detail{
		rundoc.WorkloadChat:      &rundoc.ChatDetail{Replies: rundoc.Replies{Late: 3}},
		rundoc.WorkloadBandwidth: bandwidth,
		rundoc.WorkloadOverhead:  soundOverhead(),
		rundoc.WorkloadUpdates:   soundUpdates(t, soundRun(t)),
		"weather":                rundoc.RawDetail(`{"sunny":true}`),
	} {
		run := soundRun(t)
		run.Detail = detail
		again := reread(t, run, workload)
		if _, raw := detail.(rundoc.RawDetail); raw {
			var text bytes.Buffer
			if err := rundoc.Write(&text, again); err != nil || !strings.Contains(text.String(), `"sunny": true`) {
				t.Errorf("%s: %v: %s", workload, err, text.String())
			}
			continue
		}
		if diff := cmp.Diff(detail, again.Detail); diff != "" {
			t.Errorf("%s: %s", workload, diff)
		}
		found := 0
		for _, there := range []bool{again.Chat() != nil, again.Bandwidth() != nil, again.Overhead() != nil,
			again.Updates() != nil} {
			if there {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %d details", workload, found)
		}
	}
}

// What a later program says in a document of its own is kept as it is, and so is what is broken.
func TestADetailThatCannotBeReadIsKept(t *testing.T) {
	for _, text := range []string{`[1,2]`, `"x"`, `{"rows":7}`} {
		run := soundRun(t)
		run.Detail = rundoc.RawDetail(text)
		again := reread(t, run, rundoc.WorkloadOverhead)
		raw, ok := again.Detail.(rundoc.RawDetail)
		if !ok || strings.Join(strings.Fields(string(raw)), "") != text {
			t.Errorf("%s: %#v", text, again.Detail)
		}
	}
	for _, nothing := range []string{"", "null"} {
		if d := rundoc.DecodeDetail(rundoc.WorkloadChat, []byte(nothing)); d != nil {
			t.Errorf("of %q: %#v", nothing, d)
		}
	}
}
