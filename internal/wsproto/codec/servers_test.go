package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestServers reads what servers that others wrote have sent, each frame in its order.
func TestServers(t *testing.T) {
	type fields = map[string]string
	for _, c := range []struct {
		server, codec string
		frames        []string // of MQTT as hexadecimal digits
		want          []fields // with what is no error
	}{
		{
			"socket.io 4.8", "socketio", []string{
				`0{"sid":"ih1wWtUXqgi49npkAAAA","upgrades":[],"pingInterval":300,"pingTimeout":20000,"maxPayload":1000000}`,
				`40{"sid":"ra6vYmnFUIXVtXk7AAAA"}`, `2`, `437[{"ok":true,"o":{"id":"é"}}]`, `42["msg",{"id":"é"}]`,
				`452-["bin",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]`, "\x01\x1e\x02", "x",
				`461-8[{"_placeholder":true,"num":0}]`, "\a", "2",
				`44/admin,{"message":"Not authorized","data":{"c":1}}`, `43/admin,9[{"ok":true,"o":1}]`, `42/admin,["msg",1]`,
			}, []fields{
				{"type": "0"}, {"type": "40"}, {"type": "2"}, {"type": "43", "ack": "7"}, {"type": "42"},
				{"type": "45", "attachments": "2"}, {"type": "attachment"}, {"type": "attachment"},
				{"type": "46", "attachments": "1", "ack": "8"}, {"type": "attachment"}, {"type": "2"},
				{"type": "44", "namespace": "/admin"}, {"type": "43", "namespace": "/admin", "ack": "9"}, {"type": "42", "namespace": "/admin"},
			},
		},
		{
			"RabbitMQ 3.10.8", "stomp", []string{
				"CONNECTED\nserver:RabbitMQ/3.10.8\nsession:session-jMhB_r62TREDfwkjCXBqpA\nheart-beat:1000,0\nversion:1.2\n\n\x00\n",
				"RECEIPT\nreceipt-id:sub\n\n\x00\n", "\n",
				"MESSAGE\nsubscription:0\ndestination:/topic/a.b\nmessage-id:T_0@@session-x@@1\nredelivered:false\nx\\cy:a\\cb\\\\\\\\z\n" +
					"receipt:r-1\ncontent-length:10\n\n{\"id\":\"1\"}\x00\n",
				"MESSAGE\nsubscription:0\ndestination:/topic/a.b\nmessage-id:T_0@@session-x@@2\nredelivered:false\n\n\x00\n",
				"ERROR\nmessage:Bad CONNECT\ncontent-type:text/plain\nversion:1.0,1.1,1.2\ncontent-length:32\n\n" +
					"Access refused for user 'guest'\n\x00\n",
			}, []fields{
				{"command": "CONNECTED", "version": "1.2"}, {"command": "RECEIPT", "receipt-id": "sub"}, {"command": "heartbeat"},
				{"command": "MESSAGE", "destination": "/topic/a.b", "x:y": `a:b\\z`, "body": `{"id":"1"}`},
				{"command": "MESSAGE", "destination": "/topic/a.b"},
				{"command": "ERROR", "version": "1.0,1.1,1.2", "body": "Access refused for user 'guest'\n"},
			},
		},
		{
			"mosquitto 2.0.11", "mqtt", []string{
				"20 02 00 00", "90 03 00 0a 01", "32 0e 00 03 61 2f 62 00 01 7b 22 78 22 3a 31 7d", "40 02 00 0b", "d0 00",
				"50 02 00 0c", "70 02 00 0c", "b0 02 00 0d",
			}, []fields{
				{"type": "connack", "code": "0"}, {"type": "suback", "id": "10", "code": "1"},
				{"type": "publish", "topic": "a/b", "id": "1", "qos": "1", "retain": "0", "dup": "0", "payload": `{"x":1}`},
				{"type": "puback", "id": "11", "code": "0"}, {"type": "pingresp"},
				{"type": "pubrec", "id": "12", "code": "0"}, {"type": "pubcomp", "id": "12", "code": "0"},
				{"type": "unsuback", "id": "13", "code": "0"},
			},
		},
		{
			"mosquitto 2.0.11", "mqtt5", []string{
				"20 0c 00 00 09 22 00 0a 13 ff ff 21 00 14", "90 04 00 0a 00 01",
				"32 0f 00 03 61 2f 62 00 01 00 7b 22 78 22 3a 31 7d", "40 03 00 0f 10", "b0 04 00 0e 00 11", "e0 01 81",
			}, []fields{
				{"type": "connack", "code": "0"}, {"type": "suback", "id": "10", "code": "1"},
				{"type": "publish", "topic": "a/b", "id": "1", "qos": "1", "retain": "0", "dup": "0", "payload": `{"x":1}`},
				{"type": "puback", "id": "15", "code": "16"}, {"type": "unsuback", "id": "14", "code": "17"},
				{"type": "disconnect", "code": "129", "failed": "129"},
			},
		},
	} {
		t.Run(c.server+" "+c.codec, func(t *testing.T) {
			codec := by(t, c.codec, Options{})
			if c.codec == "stomp" {
				codec = stompWith(t, "version", "receipt-id", "destination", "x:y")
			}
			frames := c.frames
			if codec.Binary() {
				frames = nil
				for _, f := range c.frames {
					frames = append(frames, unhex(t, f))
				}
			}
			var got []fields
			for _, m := range read(t, codec, frames...) {
				if m.Err {
					t.Errorf("%q cannot be read", m.Raw)
				}
				got = append(got, m.Fields)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
