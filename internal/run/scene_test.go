package run

import (
	"bytes"
	"net"
	"regexp"
	"testing"

	"github.com/plimsoll/plimsoll/internal/export"
)

// What is opened to look on is ended once, all of it, and says nothing to stdout.
func TestObserversCloseTheirListeners(t *testing.T) {
	for name, f := range map[string]Forms{
		"nothing":  {},
		"page":     {UI: "0"},
		"metrics":  {Export: export.Settings{Metrics: "127.0.0.1:0"}},
		"both":     {UI: "0", Export: export.Settings{Metrics: "127.0.0.1:0"}},
		"no notes": {UI: "0", Export: export.Settings{Metrics: "127.0.0.1:0"}, Quiet: true},
	} {
		var stdout, notes bytes.Buffer
		env := &Env{Stdout: &stdout, LookupEnv: func(string) (string, bool) { return "", false }}
		show, end, err := f.LookOn(t.Context(), env, func(text string) { notes.WriteString(text + "\n") })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if asked := f.UI+f.Export.Metrics != ""; (show != nil) != asked {
			t.Errorf("%s: a show: %v", name, show != nil)
		}
		end(t.Context())
		for _, at := range regexp.MustCompile(`127\.0\.0\.1:[0-9]+`).FindAllString(notes.String(), -1) {
			if l, err := net.Listen("tcp", at); err != nil {
				t.Errorf("%s: %s is still served", name, at)
			} else {
				l.Close()
			}
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: stdout has %s", name, &stdout)
		}
	}
}
