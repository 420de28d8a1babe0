//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// meddler stands between publishers and a broker of NATS. It keeps count of what it did to the messages that were
// published to the subject; everything else, and all that the broker says, goes through.
type meddler struct {
	subject string
	does    func(n int) deed // to the n-th of them, from 0
	opens   func(n int) bool // with the n-th of them what was held goes on its way

	mu                      sync.Mutex
	seen, passed, swallowed int // what was held has passed when it was let go
	held                    [][]byte
}

// deed is what a meddler does to a message.
type deed int

const (
	pass deed = iota
	swallow
	hold
)

// meddle starts one before the broker of a URL, and gives the URL that leads to it.
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

// copy hands on what a client says, line by line and message by message.
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

// meddle is what becomes of one message that is published.
func (m *meddler) meddle(message []byte) (out []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.seen
	m.seen++
	switch m.does(n) {
	case swallow:
		m.swallowed++
	case hold:
		m.held = append(m.held, message)
	case pass:
		m.passed++
		out = message
	}
	if m.opens(n) {
		m.passed += len(m.held)
		out = append(out, bytes.Join(m.held, nil)...)
		m.held = nil
	}
	return out
}

// TestWhatBecameOfAllThatWasDueIsWhatTheProxyDid: the proxy keeps the count. What it swallows a stream does not
// acknowledge, so that it was never published; the core of NATS acknowledges all that came before a PING, and then it
// is lost.
func TestWhatBecameOfAllThatWasDueIsWhatTheProxyDid(t *testing.T) {
	t.Parallel()
	const due = 240 // 2.5 ms between two of them
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
			m := &meddler{
				subject: "plimsoll.updates",
				does: func(n int) deed {
					switch {
					case n == 5 || n == 6: // for 580 ms, until the last of them has come
						return hold
					case n%3 == 1:
						return swallow
					}
					return pass
				},
				opens: func(n int) bool { return n == due-1 },
			}
			p := startUpdates(t, meddle(t, m, b.URL()), "--kv", server.url, "--rate", "400", "--duration", "600ms",
				"--warmup-time", "0", "--batch", "50", "--publishers", "1", "--in-flight", "400", "--max-retries", "0",
				"--drain", "3s", "--within", "400ms", "--settle", "10s")
			doc, d := p.endWorse(t)
			total, err := doc.Totals()
			if err != nil {
				t.Fatal(err)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			g := d.Due
			passed, swallowed := int64(m.passed), int64(m.swallowed)
			// On a machine that was away for seconds some were not sent, and some answers came too late: each of
			// those that is not there counts as never published.
			missed := total.Scheduled - total.OK
			if stream {
				missed -= swallowed
			}
			lost := int64(0)
			if !stream {
				lost = swallowed
			}
			if g == nil || g.Batches != due || total.Scheduled != due || missed < 0 || g.Unknown != 0 ||
				g.InTime+g.Late != passed || g.Lost+g.NeverPublished != due-passed || g.Lost > lost || g.Lost < lost-missed {
				t.Fatalf("%+v of %+v; the proxy saw %d, let %d pass and swallowed %d", g, total, m.seen, passed, swallowed)
			}
			if missed > 0 {
				t.Logf("%d were not sent, or not answered in time", missed)
			} else if g.Late < 2 || swallowed != due/3 {
				t.Errorf("%+v: two were held, and %d swallowed", g, swallowed)
			}
			// A third never came, and so the upper tenth of all that was due is not there, nor the longest.
			if g.P90NS != nil || g.P99NS != nil || g.MaxNS != nil || !g.Never(900) {
				t.Errorf("times of what never came: %+v", g)
			}
			if d.Proof.Lost != g.Lost || d.Proof.Complete != (g.Lost == 0) {
				t.Errorf("%d are lost, and the proof is %+v", g.Lost, d.Proof)
			}
		})
	}
}

// endWorse waits for the end of a run that went worse than well, or casts doubt on its times as well.
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
	if reasons := strings.Join(doc.Verdict.Reasons, " "); strings.Contains(reasons, "broken law") {
		t.Error(reasons)
	}
	return doc, *doc.Updates()
}
