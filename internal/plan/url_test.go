package plan

import "testing"

func TestRedactTopicShowsWhichTopicItIs(t *testing.T) {
	for raw, want := range map[string]string{
		"nats+js://u:geheim@h:4222/s?max_bytes=100&stream=x&creds=geheim&key=geheim": "nats+js://h:4222/s?max_bytes=100&stream=x&creds=…&key=…",
		"redis://:geheim@h/?stream=a&token=geheim&geheim":                            "redis://h/?stream=a&token=…&…",
		"awssnssqs://t?profile=geheim&region=eu-west-1":                              "awssnssqs://t?profile=…&region=eu-west-1",
	} {
		if got := RedactTopic(raw); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
