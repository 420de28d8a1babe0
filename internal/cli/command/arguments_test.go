package command

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Who gives a URL where a kind of traffic is asked for is told which one measures it, and never shown its secrets.
func TestKnownOfURLs(t *testing.T) {
	cmd := &cobra.Command{Use: "loadline"}
	cmd.AddCommand(&cobra.Command{Use: "http"}, &cobra.Command{Use: "ws"})
	for word, want := range map[string]string{
		"http://127.0.0.1/":  "put the kind of traffic before the URL: 'loadline http URL'",
		"https://127.0.0.1/": "put the kind of traffic before the URL: 'loadline http URL'",
		"wss://127.0.0.1/":   "put the kind of traffic before the URL: 'loadline ws URL'",
		"s3://bucket/":       "put the kind of traffic before the URL; 'loadline --help' lists the kinds",
		"htp":                "did you mean 'loadline http'?",
		"elsewhere":          "'loadline --help' lists its commands",
	} {
		if err := Known(cmd, []string{word}); fault.CodeOf(err) != fault.Usage || fault.HintOf(err) != want {
			t.Errorf("%s: %v (%s)", word, err, fault.HintOf(err))
		}
	}
}
