package chat

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Two runs of the same load with other messages can be told apart in the list.
func TestListedSaysTheMix(t *testing.T) {
	for plan, want := range map[string]string{
		`{"load":{"clients":8}}`:                                     "8 clients",
		`{"load":{"clients":8},"mix":{"rooms":20,"text_share":0.9}}`: "8 clients",
		`{"load":{"clients":8},"mix":{"rooms":1,"text_share":0.5,"message_size":500},"target_flags":["delay"]}`: "8 clients, " +
			"1 room, messages of 500 characters, 50.0% text, demo with delay",
		`{"load":[]}`: "",
		`[]`:          "",
	} {
		var l report.Listing
		if listed(&rundoc.Run{Plan: json.RawMessage(plan)}, &l); l.Load != want {
			t.Errorf("%s: %q, want %q", plan, l.Load, want)
		}
	}
}
