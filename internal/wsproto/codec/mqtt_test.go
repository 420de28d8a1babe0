package codec

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unhex(t testing.TB, s string) string {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMQTT reads packets of servers.
func TestMQTT(t *testing.T) {
	type fields = map[string]string
	for _, c := range []struct {
		name, codec, bytes string
		want               seen
	}{
		{"connack", "mqtt", "20 02 01 00", seen{Fields: fields{"type": "connack", "code": "0"}}},
		{"connack refused", "mqtt", "20 02 00 05", seen{Fields: fields{"type": "connack", "code": "5", "failed": "5"}}},
		{"connack 5", "mqtt5", "20 09 00 00 06 22 00 0a 21 00 14", seen{Fields: fields{"type": "connack", "code": "0"}}},
		{"connack 5 refused", "mqtt5", "20 03 00 87 00", seen{Fields: fields{"type": "connack", "code": "135", "failed": "135"}}},
		{"publish", "mqtt", "30 08 00 03 61 2f 62 7b 7d 0a", seen{
			Fields: fields{"type": "publish", "topic": "a/b", "qos": "0", "retain": "0", "dup": "0", "payload": "{}\n"}, Body: "{}\n",
		}},
		{"publish 1", "mqtt", "3b 06 00 01 61 ff fe 78", seen{
			Fields: fields{"type": "publish", "topic": "a", "id": "65534", "qos": "1", "retain": "1", "dup": "1", "payload": "x"}, Body: "x",
		}},
		{"publish empty", "mqtt", "34 05 00 01 61 00 07", seen{
			Fields: fields{"type": "publish", "topic": "a", "id": "7", "qos": "2", "retain": "0", "dup": "0"}, Body: none,
		}},
		{"publish 5", "mqtt5", "32 0d 00 01 61 00 07 05 02 00 00 00 3c 7b 7d", seen{
			Fields: fields{"type": "publish", "topic": "a", "id": "7", "qos": "1", "retain": "0", "dup": "0", "payload": "{}"}, Body: "{}",
		}},
		{"puback", "mqtt", "40 02 01 00", seen{Fields: fields{"type": "puback", "id": "256", "code": "0"}}},
		{"puback 5", "mqtt5", "40 03 01 00 10", seen{Fields: fields{"type": "puback", "id": "256", "code": "16"}}},
		{"puback 5 with properties", "mqtt5", "40 04 01 00 87 00", seen{Fields: fields{"type": "puback", "id": "256", "code": "135", "failed": "135"}}},
		{"pubrec", "mqtt", "50 02 00 01", seen{Fields: fields{"type": "pubrec", "id": "1", "code": "0"}}},
		{"pubrel", "mqtt", "62 02 00 01", seen{Fields: fields{"type": "pubrel", "id": "1", "code": "0"}}},
		{"pubcomp", "mqtt", "70 02 00 01", seen{Fields: fields{"type": "pubcomp", "id": "1", "code": "0"}}},
		{"suback", "mqtt", "90 03 00 01 01", seen{Fields: fields{"type": "suback", "id": "1", "code": "1"}}},
		{"suback refused", "mqtt", "90 04 00 01 80 00", seen{Fields: fields{"type": "suback", "id": "1", "code": "128", "failed": "128"}}},
		{"suback 5", "mqtt5", "90 04 00 01 00 02", seen{Fields: fields{"type": "suback", "id": "1", "code": "2"}}},
		{"unsuback", "mqtt", "b0 02 00 01", seen{Fields: fields{"type": "unsuback", "id": "1", "code": "0"}}},
		{"unsuback 5", "mqtt5", "b0 04 00 01 00 11", seen{Fields: fields{"type": "unsuback", "id": "1", "code": "17"}}},
		{"pingresp", "mqtt", "d0 00", seen{Fields: fields{"type": "pingresp"}}},
		{"disconnect 5", "mqtt5", "e0 02 8d 00", seen{Fields: fields{"type": "disconnect", "code": "141", "failed": "141"}}},
		{"disconnect 5, short", "mqtt5", "e0 00", seen{Fields: fields{"type": "disconnect", "code": "0"}}},
		{"auth", "mqtt5", "f0 02 18 00", seen{Fields: fields{"type": "auth", "code": "24"}}},

		{"connack refused with the lowest code", "mqtt", "20 02 00 01", seen{Fields: fields{"type": "connack", "code": "1", "failed": "1"}}},
		{"the highest code of no failure", "mqtt5", "e0 01 7f", seen{Fields: fields{"type": "disconnect", "code": "127"}}},
		{"publish without anything", "mqtt", "30 02 00 00", seen{
			Fields: fields{"type": "publish", "topic": "", "qos": "0", "retain": "0", "dup": "0"},
		}},
		{"publish 5 without anything", "mqtt5", "30 03 00 00 00", seen{
			Fields: fields{"type": "publish", "topic": "", "qos": "0", "retain": "0", "dup": "0"},
		}},

		{"no type", "mqtt", "00 00", seen{Err: true}},
		{"half the length of a topic", "mqtt", "30 01 00", seen{
			Fields: fields{"type": "publish", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"publish 1 without an id", "mqtt", "32 04 00 01 61 00", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "1", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"suback without an id", "mqtt", "90 01 00", seen{Fields: fields{"type": "suback"}, Err: true}},
		{"half the length of properties", "mqtt5", "30 04 00 01 61 80", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"a length of properties that is none", "mqtt5", "30 09 00 01 61 80 80 80 80 01 00", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"of a client", "mqtt", "c0 00", seen{Fields: fields{"type": "pingreq"}, Err: true}},
		{"connack without a code", "mqtt", "20 01 00", seen{Fields: fields{"type": "connack"}, Err: true}},
		{"puback without an id", "mqtt", "40 01 00", seen{Fields: fields{"type": "puback"}, Err: true}},
		{"suback without a code", "mqtt", "90 02 00 01", seen{Fields: fields{"type": "suback", "id": "1"}, Err: true}},
		{"unsuback 5 without a code", "mqtt5", "b0 03 00 01 00", seen{Fields: fields{"type": "unsuback", "id": "1"}, Err: true}},
		{"properties that do not end", "mqtt5", "b0 04 00 01 02 00", seen{Fields: fields{"type": "unsuback", "id": "1"}, Err: true}},
		{"a length of nothing that is too long", "mqtt5", "30 0a 00 01 61 80 80 80 80 00 00 78", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"a length of nothing in four bytes", "mqtt5", "30 08 00 01 61 80 80 80 00 78", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0", "payload": "x"}, Body: "x",
		}},
		{"properties of a publish that do not end", "mqtt5", "30 05 00 01 61 02 00", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"no properties", "mqtt5", "30 03 00 01 61", seen{
			Fields: fields{"type": "publish", "topic": "a", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"a topic that does not end", "mqtt", "30 03 00 02 61", seen{
			Fields: fields{"type": "publish", "qos": "0", "retain": "0", "dup": "0"}, Err: true,
		}},
		{"quality 3", "mqtt", "36 05 00 01 61 00 01", seen{Fields: fields{"type": "publish"}, Err: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.Body == "" {
				c.want.Body = none
			}
			whole := unhex(t, c.bytes)
			c.want.Raw = whole
			codec := by(t, c.codec, Options{})
			if diff := cmp.Diff([]seen{c.want, c.want}, read(t, codec, whole+whole)); diff != "" {
				t.Error(diff)
			}
			// However the packets are spread over frames, they are the same.
			var frames []string
			for i := range 2 * len(whole) {
				frames = append(frames, (whole + whole)[i:i+1], "")
			}
			if diff := cmp.Diff([]seen{c.want, c.want}, read(t, codec, frames...)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]seen{c.want, c.want}, read(t, codec, whole+whole[:1], whole[1:])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// packet writes a packet of keys and values.
func packet(t testing.TB, c Codec, kind string, pairs ...string) []byte {
	t.Helper()
	b, err := tryPacket(c, kind, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tryPacket(c Codec, kind string, pairs ...string) ([]byte, error) {
	var keys []string
	var values [][]byte
	for i := 0; i < len(pairs); i += 2 {
		keys, values = append(keys, pairs[i]), append(values, []byte(pairs[i+1]))
	}
	p, err := c.Packet(kind, keys)
	if err != nil {
		return nil, err
	}
	b, err := p.Append([]byte("before"), values)
	if err != nil && string(b) != "before" {
		return []byte("what stood before is lost"), err
	}
	return bytes.TrimPrefix(b, []byte("before")), err
}

// TestPacket writes packets as the specification has them.
func TestPacket(t *testing.T) {
	for _, c := range []struct {
		codec string
		line  string // the kind, and keys with their values
		want  string
	}{
		{"mqtt", "connect", "10 0c 00 04 4d 51 54 54 04 02 00 00 00 00"},
		{"mqtt", "connect client_id=ab username=u password=pw clean=false keep_alive=300", "10 15 00 04 4d 51 54 54 04 c0 01 2c 00 02 61 62 00 01 75 00 02 70 77"},
		{"mqtt5", "connect client_id=a", "10 0e 00 04 4d 51 54 54 05 02 00 00 00 00 01 61"},
		{"mqtt5", "connect password=pw", "10 11 00 04 4d 51 54 54 05 42 00 00 00 00 00 00 02 70 77"},
		{"mqtt", "publish topic=a payload=xy", "30 05 00 01 61 78 79"},
		{"mqtt", "publish payload=xy topic=a qos=2 retain=1 dup=true id=258", "3d 07 00 01 61 01 02 78 79"},
		{"mqtt5", "publish topic=a qos=1 id=1", "32 06 00 01 61 00 01 00"},
		{"mqtt", "publish topic=a dup=true retain=0", "38 03 00 01 61"},
		{"mqtt", "publish topic=a retain=true dup=0", "31 03 00 01 61"},
		{"mqtt", "connect keep_alive=65535", "10 0c 00 04 4d 51 54 54 04 02 ff ff 00 00"},
		{"mqtt", "puback id=65535", "40 02 ff ff"},
		{"mqtt", "puback id=1", "40 02 00 01"},
		{"mqtt", "pubrec id=1", "50 02 00 01"},
		{"mqtt", "pubrel id=1", "62 02 00 01"},
		{"mqtt", "pubcomp id=1", "70 02 00 01"},
		{"mqtt", "subscribe id=10 topic=a/# qos=1", "82 08 00 0a 00 03 61 2f 23 01"},
		{"mqtt", "subscribe id=10 topic=a qos=2", "82 06 00 0a 00 01 61 02"},
		{"mqtt5", "subscribe id=10 topic=a", "82 07 00 0a 00 00 01 61 00"},
		{"mqtt", "unsubscribe id=10 topic=a", "a2 05 00 0a 00 01 61"},
		{"mqtt5", "unsubscribe id=10 topic=a", "a2 06 00 0a 00 00 01 61"},
		{"mqtt", "pingreq", "c0 00"},
		{"mqtt", "disconnect", "e0 00"},
	} {
		words := strings.Fields(c.line)
		var pairs []string
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			pairs = append(pairs, key, value)
		}
		got := fmt.Sprintf("% x", packet(t, by(t, c.codec, Options{}), words[0], pairs...))
		if got != c.want {
			t.Errorf("%s %s:\n%s instead of\n%s", c.codec, c.line, got, c.want)
		}
	}
}

// TestPacketWrong names the key that is at fault.
func TestPacketWrong(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for _, c := range []struct {
		key, kind string
		pairs     []string
	}{
		{"connack", "connack", nil},
		{"topic", "connect", []string{"topic", "a"}},
		{"version", "connect", []string{"version", "5"}},
		{"id", "pingreq", []string{"id", "1"}},
		{"id", "puback", []string{"id", "1", "id", "2"}},
		{"publish", "publish", []string{"payload", "a"}},
		{"subscribe", "subscribe", []string{"topic", "a"}},
		{"subscribe", "subscribe", []string{"id", "1"}},
		{"unsubscribe", "unsubscribe", []string{"id", "1"}},
		{"qos", "subscribe", []string{"id", "1", "topic", "a", "qos", "3"}},
		{"puback", "puback", nil},
		{"id", "puback", []string{"id", "0"}},
		{"id", "puback", []string{"id", "65536"}},
		{"id", "puback", []string{"id", "x"}},
		{"id", "publish", []string{"topic", "a", "qos", "1"}},
		{"qos", "publish", []string{"topic", "a", "qos", "3"}},
		{"retain", "publish", []string{"topic", "a", "retain", "yes"}},
		{"topic", "publish", []string{"topic", "a\x00"}},
		{"topic", "publish", []string{"topic", "\x00"}},
		{"topic", "publish", []string{"topic", "\xff"}},
		{"topic", "publish", []string{"topic", long}},
		{"password", "connect", []string{"password", "x"}},
		{"keep_alive", "connect", []string{"keep_alive", "65536"}},
	} {
		b, err := tryPacket(by(t, "mqtt", Options{}), c.kind, c.pairs...)
		if e, ok := err.(*Error); !ok || e.Key != c.key || len(b) > 0 {
			t.Errorf("%s %.60q: %x, %v", c.kind, c.pairs, b, err)
		}
	}
	for _, name := range Names() {
		if c := by(t, name, Options{}); !c.Binary() {
			if _, err := c.Packet("publish", nil); err == nil {
				t.Errorf("%s has packets", name)
			}
		}
	}
}

// TestPublished reads what was written, of every length of a length.
func TestPublished(t *testing.T) {
	for _, name := range []string{"mqtt", "mqtt5"} {
		c := by(t, name, Options{})
		for _, n := range []int{1, 110, 120, 121, 122, 123, 124, 125, 16370, 16380, 16381, 300_000} {
			payload := strings.Repeat("p", n)
			got := read(t, c, string(packet(t, c, "publish", "topic", "t/é", "payload", payload, "qos", "1", "id", "515", "retain", "1")))
			want := []seen{{Fields: map[string]string{
				"type": "publish", "topic": "t/é", "payload": payload, "qos": "1", "id": "515", "retain": "1", "dup": "0",
			}, Body: payload}}
			for i := range got {
				got[i].Raw = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d: %.400s", n, diff)
			}
		}
		for _, n := range []int{1, 255, 256, 257, 511, 512, 32767, 32768, 65534, 65535} {
			topic := strings.Repeat("t", n)
			got := read(t, c, string(packet(t, c, "publish", "topic", topic)))
			if len(got) != 1 || got[0].Err || got[0].Fields["topic"] != topic {
				t.Errorf("a topic of %d bytes", n)
			}
		}
		for _, kind := range []string{"puback", "pubrec", "pubrel", "pubcomp"} {
			got := read(t, c, string(packet(t, c, kind, "id", "515")))
			if len(got) != 1 || got[0].Err || got[0].Fields["type"] != kind || got[0].Fields["id"] != "515" {
				t.Errorf("%+v", got)
			}
		}
	}
}

// TestLengthOfAPacket writes lengths as the specification has them (MQTT 5.0, 1.5.5), and refuses what they cannot say.
func TestLengthOfAPacket(t *testing.T) {
	for n, want := range map[int]string{
		0: "00", 127: "7f", 128: "80 01", 16383: "ff 7f", 16384: "80 80 01", 2097151: "ff ff 7f", 2097152: "80 80 80 01",
		268435455: "ff ff ff 7f", 268435456: "",
	} {
		digits, used, ok := digitsOf(n)
		if got := fmt.Sprintf("% x", digits[:used]); ok != (want != "") || ok && got != want {
			t.Errorf("%d: %s, %v", n, got, ok)
		}
	}
	whole := make([]byte, 2+1<<28) // of which nothing but the beginning is touched
	whole[0] = 0x30
	if b, err := withLength(whole, 1); err != errPacketLong || len(b) != len(whole) || b[0] != 0x30 || b[1] != 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
