package codec

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzText(f *testing.F) {
	f.Add(`^(?P<type>[a-z]+) (?P<id>\d+)? ?(?P<body>.*)$`, "ack 12 {}")
	f.Add(`(?P<a>x)|(?P<b>y)`, "y")
	f.Fuzz(func(t *testing.T, exp, frame string) {
		c, err := By("text", Options{Fields: exp})
		if err != nil {
			return
		}
		for _, m := range read(t, c, frame) {
			for name, value := range m.Fields {
				if !strings.Contains(frame, value) || m.Err {
					t.Fatalf("%s is %q", name, value)
				}
			}
			if m.Body != none && !strings.Contains(frame, m.Body) {
				t.Fatalf("the body is %q", m.Body)
			}
		}
	})
}

// FuzzSocketIO puts together again what a packet was taken apart into.
func FuzzSocketIO(f *testing.F) {
	for _, frame := range []string{
		`0{"sid":"x"}`, `2`, `40/admin,{"sid":"x"}`, `42/admin,13["bar"]`, `451-7["a"]`, `461-/a?b=c,0[]`, `4`, `41/x`, `50-`, `4/x,1`,
	} {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame string) {
		for i, m := range read(t, by(t, "socketio", Options{}), frame, "x", "2") {
			if m.Err || m.Raw != frame || i > 0 {
				continue
			}
			again := m.Fields["type"]
			if n, ok := m.Fields["attachments"]; ok {
				again += n + "-"
			}
			if namespace, ok := m.Fields["namespace"]; ok {
				if again += namespace; len(again) < len(frame) {
					again += ","
				}
			}
			again += m.Fields["ack"]
			if m.Body != none {
				again += m.Body
			}
			if again != frame {
				t.Fatalf("%q, and together %q", frame, again)
			}
		}
	})
}

// FuzzStomp reads anything, and where it takes all, what it took stands in the frame in its order.
func FuzzStomp(f *testing.F) {
	for _, frame := range []string{
		"CONNECTED\nversion:1.2\n\n\x00", "MESSAGE\na:b\\c\ncontent-length:3\n\na\x00b\x00\n", "\n", "A\n\n\x00\r\nB\n\n\x00", "A\r\na:b\r\n\r\n\x00",
		"A\n\n", "A\na\n\n\x00", "A\na:\\x\n\n\x00", "A\ncontent-length:99\n\n\x00",
	} {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame string) {
		rest := frame
		for _, m := range read(t, stompWith(t, "a"), frame) {
			if m.Fields["command"] != heartbeat || m.Raw != frame {
				rest = string(lines([]byte(rest)))
			}
			behind, ok := strings.CutPrefix(rest, m.Raw)
			if !ok || m.Err && behind != "" {
				t.Fatalf("%q is not next in %q", m.Raw, rest)
			}
			rest = strings.TrimPrefix(behind, "\x00")
			if m.Body != none && !strings.HasSuffix(m.Raw, m.Body) {
				t.Fatalf("%q does not end with its body %q", m.Raw, m.Body)
			}
		}
		if strings.Trim(rest, "\r\n") != "" {
			t.Fatalf("%q of %q was not read", rest, frame)
		}
	})
}

// FuzzMQTT reads the same packets however they are spread over frames.
func FuzzMQTT(f *testing.F) {
	for _, s := range []string{
		"20 02 01 00 d0 00", "3b 06 00 01 61 ff fe 78 40 02 01 00", "32 0d 00 01 61 00 07 05 02 00 00 00 3c 7b 7d", "90 04 00 01 00 02",
		"30 81 80 40 00", "30 80 80 80 80 01", "00 00", "e0 00", "f0 02 18 00",
	} {
		f.Add([]byte(unhex(f, s)), []byte{1, 2, 3}, true)
	}
	f.Fuzz(func(t *testing.T, data, cuts []byte, five bool) {
		name := "mqtt"
		if five {
			name = "mqtt5"
		}
		c := by(t, name, Options{})
		var frames []string
		for rest := data; len(rest) > 0; {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[0]))
				cuts = cuts[1:]
			}
			frames = append(frames, string(rest[:n]))
			rest = rest[n:]
		}
		whole, cut := read(t, c, string(data)), read(t, c, frames...)
		if len(whole) > 900 {
			return // as many as a test reads of a frame
		}
		for _, list := range [][]seen{whole, cut} {
			for i := range list {
				if list[i].Err { // of what cannot be read, there may be less
					list[i].Raw = ""
				}
			}
		}
		if i := len(whole) - 1; i >= 0 && whole[i].Err && len(cut) > i {
			cut = cut[:i+1] // behind a length that is none, each frame is an error
		}
		if diff := cmp.Diff(whole, cut); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzPacket reads what it wrote.
func FuzzPacket(f *testing.F) {
	f.Add("a/b", []byte("{}"), uint16(7), uint8(1), true)
	f.Fuzz(func(t *testing.T, topic string, payload []byte, id uint16, qos uint8, five bool) {
		name := "mqtt"
		if five {
			name = "mqtt5"
		}
		c := by(t, name, Options{})
		b, err := tryPacket(c, "publish", "payload", string(payload), "topic", topic, "id", strconv.Itoa(int(id)), "qos", strconv.Itoa(int(qos)))
		if err != nil {
			return
		}
		want := seen{Fields: map[string]string{"type": "publish", "topic": topic, "qos": strconv.Itoa(int(qos)), "retain": "0", "dup": "0"}, Body: none}
		if len(payload) > 0 {
			want.Body = string(payload)
			want.Fields["payload"] = want.Body
		}
		if qos > 0 {
			want.Fields["id"] = strconv.Itoa(int(id))
		}
		want.Raw = string(b)
		if diff := cmp.Diff([]seen{want, want}, read(t, c, string(bytes.Repeat(b, 2)))); diff != "" {
			t.Fatal(diff)
		}
	})
}
