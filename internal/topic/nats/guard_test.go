package nats

import "testing"

func TestFollowsLimitsPayload(t *testing.T) {
	for _, c := range []struct {
		line    string
		want    int64
		refused bool
	}{
		{"INFO {\"max_payload\":99999999999}", 0, false},
		{"PING", 0, false},
		{"-ERR 'Unknown 99999999999'", 0, false},
		{"", 0, false},
		{"MSG subject 1 5", 7, false},
		{"msg subject 1 reply 67108864", 67108866, false},
		{"MSG subject 1 67108865", 0, true},
		{"MSG subject 1 9223372036854775800", 0, true},
		{"MSG subject 1 -1", 0, true},
		{"HMSG subject 1 reply 12 17", 19, false},
		{"HMSG\tsubject\t1\t12\t99999999999", 0, true},
	} {
		got, err := follows([]byte(c.line))
		if (err != nil) != c.refused || err == nil && got != c.want {
			t.Errorf("%q: %d, %v", c.line, got, err)
		}
	}
}

func FuzzFollows(f *testing.F) {
	f.Add([]byte("MSG a 1 5"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if n, err := follows(line); err == nil && (n < 0 || n > 64<<20+2) {
			t.Errorf("%q: %d", line, n)
		}
	})
}
