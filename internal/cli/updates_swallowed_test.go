//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A meddler is a proxy between publishers and a NATS broker. It counts the messages to the subject, and swallows some;
// everything else passes.
type meddler struct {
	subject string

	mu                      sync.Mutex
	seen, passed, swallowed int
}

// meddle starts a meddler before the broker of a URL, and returns its own URL.
func meddle(t *testing.T, m *meddler, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = peertest.Between(t, u.Host, func(server io.Writer, client io.Reader) error {
		return m.copy(server, bufio.NewReader(client))
	})
	return u.String()
}

// copy passes on what a client sends, line by line and message by message.
func (m *meddler) copy(server io.Writer, client *bufio.Reader) error {
	for {
		line, err := client.ReadBytes('\n')
		if err != nil {
			return nil // it has gone
		}
		words := strings.Fields(string(line))
		verb := strings.ToUpper(words[0])
		if verb != "PUB" && verb != "HPUB" {
			if _, err := server.Write(line); err != nil {
				return nil
			}
			continue
		}
		size, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		body := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(client, body); err != nil {
			return nil
		}
		message := append(line, body...)
		if words[1] == m.subject {
			message = m.meddle(message)
		}
		if _, err := server.Write(message); err != nil {
			return nil
		}
	}
}

// meddle swallows every third message that is published.
func (m *meddler) meddle(message []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen++
	if m.seen%3 == 2 {
		m.swallowed++
		return nil
	}
	m.passed++
	return message
}

// TestUpdatesCountsWhatAProxySwallowed compares the counts of a run with those of a proxy before the broker. A stream does
// not acknowledge what the proxy swallows, so that it was never published; core NATS acknowledges all that came before a
// PING, and then it is lost.
func TestUpdatesCountsWhatAProxySwallowed(t *testing.T) {
	t.Parallel()
	const due = 60
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprint("stream: ", stream), func(t *testing.T) {
			t.Parallel()
			b, err := broker.Start(t.Context(), broker.Config{JetStream: stream})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			server := startKVProcess(t, b.URL(), "--subscription", "test")
			defer server.end(t)
			m := &meddler{subject: "plimsoll.updates"}
			p := startUpdates(t, meddle(t, m, b.URL()), "--kv", server.url, "--rate", "200", "--duration", "300ms",
				"--warmup-time", "0", "--batch", "20", "--publishers", "1", "--in-flight", "400", "--max-retries", "0",
				"--drain", "2s", "--settle", "10s")
			doc, d := p.endWorse(t)
			total, err := doc.Totals()
			if err != nil {
				t.Fatal(err)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			g := d.Due
			passed, swallowed := int64(m.passed), int64(m.swallowed)
			// A busy machine may not send some, or get some acknowledgements too late: those count as never published.
			missed := total.Scheduled - total.OK
			lost := swallowed
			if stream {
				missed, lost = missed-swallowed, 0
			}
			if g == nil || g.Batches != due || total.Scheduled != due || missed < 0 || g.Unknown != 0 ||
				g.InTime+g.Late != passed || g.Lost+g.NeverPublished != due-passed || g.Lost > lost || g.Lost < lost-missed {
				t.Fatalf("%+v of %+v; the proxy saw %d, let %d pass and swallowed %d", g, total, m.seen, passed, swallowed)
			}
			if g.P99NS != nil || g.MaxNS != nil {
				t.Errorf("a third never came, and there is a longest time: %+v", g)
			}
			if d.Proof.Lost != g.Lost || d.Proof.Complete != (g.Lost == 0) {
				t.Errorf("%d are lost, and the proof is %+v", g.Lost, d.Proof)
			}
		})
	}
}

// endWorse waits for the end of a run with exit status 3 or 4, and returns its document.
func (p *updatesProcess) endWorse(t *testing.T) (doc rundoc.Run, d rundoc.UpdatesDetail) {
	t.Helper()
	_ = p.Wait()
	if exit := p.ProcessState.ExitCode(); exit != 3 && exit != 4 {
		t.Fatalf("ended with %d, want 3: %s", exit, p.stderr.String())
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %s", err, p.stdout.String())
	}
	if found := doc.Updates(); found == nil || found.Proof == nil {
		t.Fatalf("no proof in %s", p.stdout.String())
	}
	runtest.CheckInvariants(t, &doc)
	return doc, *doc.Updates()
}
