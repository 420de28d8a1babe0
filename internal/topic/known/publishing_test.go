package known_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/topic/known"
)

func TestWithOptions(t *testing.T) {
	more := []known.Option{{Name: "acks", Value: "1"}, {Name: "linger", Value: "5ms"}}
	for raw, want := range map[string]string{
		"kafka://u:p%40@h/t":      "kafka://u:p%40@h/t?acks=1&linger=5ms",
		"kafka://h/t?sasl=plain":  "kafka://h/t?sasl=plain&acks=1&linger=5ms",
		"nats://127.0.0.1:1/a.b?": "nats://127.0.0.1:1/a.b?&acks=1&linger=5ms",
	} {
		if got := known.WithOptions(raw, more); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := known.WithOptions(raw, nil); got != raw {
			t.Errorf("%s, want %s", got, raw)
		}
	}
}

// TestFlagsThatATransportDoesNotHave are refused by name.
func TestFlagsThatATransportDoesNotHave(t *testing.T) {
	for _, c := range []struct{ url, flag, want, hint string }{
		{"kafka://h/t", "acks", "", ""},
		{"kafka://h/t", "linger", "", ""},
		{"nats+js://h/t", "acks", "", ""},
		{"nats+js://", "acks", "", ""},
		{"gcppubsub://p/t", "compression", "", ""},
		{"nats+js://h/t", "linger", "--linger is not supported for nats+js://", "supports only --acks"},
		{"gcppubsub://p/t", "acks", "--acks is not supported for gcppubsub://", "--compression, --linger"},
		{"nats://h/t", "acks", "--acks: nats:// has no publish options", "remove it"},
		{"nats://", "compression", "--compression: nats:// has no publish options", "remove it"},
		{"redis://h", "acks", "--acks: redis:// has no publish options", "remove it"},
		{"awssnssqs://t", "linger", "--linger: awssnssqs:// has no publish options", "remove it"},
		{"kafka://h/t?acks=all&linger=1ms", "acks", "the topic's URL also contains acks=", "remove one"},
		{"mqtt://h", "acks", "", ""}, // which is refused for itself
		{"%", "acks", "", ""},
	} {
		err := known.CheckPublishing(c.url, []known.Option{{Name: c.flag, Value: "x"}})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) ||
			!strings.Contains(fault.HintOf(err), c.hint) || fault.CodeOf(err) != fault.Usage) {
			t.Errorf("%s with --%s: %v (%s), want %q", c.url, c.flag, err, fault.HintOf(err), c.want)
		}
	}
}
