package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// join dials a room.
func join(t *testing.T, s *Server, room string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial(strings.TrimSuffix(s.URL(), "1")+room, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// numbered is a valid message with this id.
func numbered(n int) string { return with("messageId", fmt.Sprintf(`"m-%d"`, n)) }

// TestBroadcastReachesTheWholeRoom: and to nobody else, and its sender gets an answer and a copy.
func TestBroadcastReachesTheWholeRoom(t *testing.T) {
	s := serve(t, func(c *Config) { c.Broadcast, c.Compress = true, true })
	deflating := websocket.Dialer{EnableCompression: true}
	squeezed, _, err := deflating.Dial(s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer squeezed.Close()
	sender, other, elsewhere := join(t, s, "1"), join(t, s, "1"), join(t, s, "2")
	send(t, sender, with("userId", "0")) // which is refused, and goes to nobody
	if got := name(receive(t, sender)); got != " error" {
		t.Errorf("the answer is %q", got)
	}
	send(t, sender, numbered(1))
	if got := name(receive(t, sender)); got != "m-1" {
		t.Errorf("the answer is %q", got)
	}
	want := `{"status":"delivered","messageId":"m-1","originalMessage":` + numbered(1) + `}`
	for _, c := range []*websocket.Conn{sender, other, squeezed} {
		if got := string(receive(t, c)); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	send(t, elsewhere, with("messageId", ""))
	receive(t, elsewhere)
	want = `{"status":"delivered","originalMessage":` + with("messageId", "") + `}`
	if got := string(receive(t, elsewhere)); got != want {
		t.Errorf("in the other room %s", got)
	}
	if got := metric(t, s, `plimsoll_chat_deliveries_total{outcome="sent"}`); got != 4 {
		t.Errorf("%d deliveries are counted", got)
	}
	if got := metric(t, s, "plimsoll_chat_deliveries_due_total"); got != 4 {
		t.Errorf("%d deliveries were due", got)
	}
}

// TestEachFaultOfADeliveryIsCounted holds what five receivers got against what the server says that it did.
func TestEachFaultOfADeliveryIsCounted(t *testing.T) {
	const receivers, messages = 5, 300
	s := serve(t, func(c *Config) {
		c.Broadcast, c.Seed = true, 7
		c.BroadcastLoss, c.BroadcastDuplicates, c.BroadcastSwaps = 0.05, 0.05, 0.05
	})
	type arrival struct{ receiver, number int }
	arrivals := make(chan arrival, receivers*messages*2)
	var reading sync.WaitGroup
	var all []*websocket.Conn
	for i := range receivers {
		c := join(t, s, "1")
		all = append(all, c)
		reading.Go(func() {
			for {
				_, data, err := c.ReadMessage()
				if err != nil {
					return
				}
				var d struct{ MessageID string }
				var n int
				if json.Unmarshal(data, &d) != nil {
					t.Errorf("%s", data)
				}
				_, _ = fmt.Sscanf(d.MessageID, "m-%d", &n)
				arrivals <- arrival{i, n}
			}
		})
	}
	sender := join(t, s, "1")
	for n := range messages { // it gets an answer and a copy of each
		send(t, sender, numbered(n))
		receive(t, sender)
		receive(t, sender)
	}
	count := func(what string) int { return metric(t, s, "plimsoll_chat_"+what) }
	outcome := func(o string) int { return count(`deliveries_total{outcome="` + o + `"}`) }
	for outcome("sent")+outcome("lost") < (receivers+1)*messages { // until what is held back has gone
	}
	sent, lost := outcome("sent"), outcome("lost")
	doubled, swapped := count(`delivery_faults_total{kind="duplicate"}`), count(`delivery_faults_total{kind="swap"}`)
	var got, again, behind int
	highest := [receivers]int{}
	seen := map[arrival]bool{}
	for range sent - messages + doubled {
		a := <-arrivals
		switch {
		case seen[a]:
			again++
		case a.number < highest[a.receiver]:
			behind++
			fallthrough
		default:
			got++
		}
		seen[a] = true
		highest[a.receiver] = max(highest[a.receiver], a.number)
	}
	if diff := cmp.Diff([]int{receivers*messages - lost, doubled, swapped}, []int{got, again, behind}); diff != "" {
		t.Errorf("delivered, doubled, swapped:\n%s", diff)
	}
	for what, n := range map[string]int{"lost": lost, "doubled": doubled, "swapped": swapped} {
		if n < 40 || n > 110 {
			t.Errorf("%d of %d deliveries were %s", n, receivers*messages, what)
		}
	}
	for _, c := range all {
		_ = c.Close()
	}
	reading.Wait()
	if len(arrivals) != 0 {
		t.Errorf("%d more came", len(arrivals))
	}
}

// TestSlowReceiverDoesNotBlockOthers: what does not fit into its mailbox is dropped, and counted.
func TestSlowReceiverDoesNotBlockOthers(t *testing.T) {
	in := &responder{metrics: newMetrics()}
	h := newHub(in, &Faults{})
	stuck := h.join("1", &conn{}) // its handshake does not end: nothing is written
	d := newDelivery(nil, &message{object: []byte(`{"message":"` + strings.Repeat("x", 1000) + `"}`)})
	most := maxMailbox / len(d.frame)
	for range most + 10 {
		h.deliver(stuck.room, d)
	}
	if len(stuck.queue) != most || stuck.bytes > maxMailbox {
		t.Errorf("%d deliveries of %d bytes wait", len(stuck.queue), stuck.bytes)
	}
	if got := countOf(t, h.metrics.dropped); got != 10 {
		t.Errorf("%v were dropped", got)
	}
	stuck.conn.ending.Store(true)
	stuck.start()
	h.flushes.Wait()
	if got := countOf(t, h.metrics.gone); got != most || stuck.bytes != 0 {
		t.Errorf("%v have gone with the connection, and %d bytes wait", got, stuck.bytes)
	}
}

// TestDelayAppliesToDeliveries: and one that is held back goes by itself if nothing overtakes it.
//
// synctest: inBubble runs the body in a bubble.
func TestDelayAppliesToDeliveries(t *testing.T) {
	inBubble(t, Faults{Delay: 20 * ms, Jitter: 5 * ms, BroadcastSwaps: 1}, func(b *bench) {
		b.hub = newHub(b.responder, &b.sender.faults)
		from, own := b.connect()
		to, got := b.connect()
		for _, c := range []*conn{from, to} {
			c.box = b.hub.join("1", c)
			c.box.start()
		}
		b.send(from, "1", "2", "3")
		time.Sleep(time.Second)
		b.hub.flushes.Wait()
		got.check(t, event{20 * ms, "2 delivered"}, event{20 * ms, "1 delivered"}, event{70 * ms, "3 delivered"})
		if n := len(own.events); n != 6 {
			t.Errorf("the sender got %d", n)
		}
		if n := countOf(t, b.hub.metrics.swapped); n != 1 {
			t.Errorf("%d swaps", n)
		}
	})
}

func countOf(t *testing.T, c prometheus.Counter) int {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return int(m.GetCounter().GetValue())
}

func TestBroadcastSettings(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"--broadcast and --echo":                                   func(c *Config) { c.Broadcast, c.Echo = true, true },
		"--broadcast-loss, --broadcast-duplicates and --broadcast": func(c *Config) { c.BroadcastSwaps = 0.1 },
		"the fault rates of deliveries add up to 120%": func(c *Config) {
			c.Broadcast, c.BroadcastLoss, c.BroadcastDuplicates = true, 0.6, 0.6
		},
		"--broadcast-loss 1.5 is not between 0 and 1": func(c *Config) { c.Broadcast, c.BroadcastLoss = true, 1.5 },
	} {
		c := Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := Default()
	c.Broadcast, c.BroadcastLoss, c.BroadcastDuplicates, c.BroadcastSwaps = true, 0.2, 0.3, 0.5
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
