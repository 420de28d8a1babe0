package s3

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the answers into the conversations")

// converse holds what a server answers against a file of testdata. There each request is lines that begin with ">":
// its method and target, its headers, an empty one and its body, and below them is the answer. "> = NAME TEXT" keeps
// what the expression TEXT finds in the answer; {NAME} stands for it from then on, {9 times TEXT} for as many of them.
// Lines with "#" are comments.
func converse(t *testing.T, s *Server, name string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	talk := conversation{s: s, client: httpClient(t), known: map[string]string{}}
	talk.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return watched{c, &talk.cut}, err
	}
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		var asked []string
		for line := range strings.SplitSeq(block, "\n") {
			if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "#") {
				asked = append(asked, line)
			}
		}
		got := strings.Join(append(asked, talk.say(t, asked)), "\n")
		if i > 0 {
			out.WriteString("\n\n")
		}
		out.WriteString(got)
		if !*update && got != block {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, block)
			return // what follows may be of what went wrong
		}
	}
	if n := talk.cut.Load(); n > 0 {
		t.Errorf("%s: the server ended %d connections", path, n)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// conversation is what has been said so far.
type conversation struct {
	s      *Server
	client *http.Client
	known  map[string]string
	cut    atomic.Int64 // how many connections the server ended: an answer that is whole leaves its connection as it is
}

// watched is a connection of which is noticed that the other side ends it.
type watched struct {
	net.Conn
	cut *atomic.Int64
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		w.cut.Add(1)
	}
	return n, err
}

var (
	times   = regexp.MustCompile(`\{(\d+) times ([^}]*)\}`)
	instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	asNow   = map[bool]string{true: "NOW", false: "ANOTHER TIME"}
	unsaid  = regexp.MustCompile(`<RequestId>[^<]*</RequestId>\n|<Message>([^<]*)</Message>\n`)
)

// say sends a request and gives the answer as text: without what differs each time, and without what is only words.
func (c *conversation) say(t *testing.T, lines []string) string {
	t.Helper()
	var method, target string
	var body []string
	header := http.Header{}
	keep := map[string]string{}
	inBody := false
	for _, line := range lines {
		line, isAsked := strings.CutPrefix(line, ">")
		line = strings.TrimPrefix(line, " ")
		line = times.ReplaceAllStringFunc(line, func(m string) string {
			found := times.FindStringSubmatch(m)
			n, _ := strconv.Atoi(found[1])
			return strings.Repeat(found[2], n)
		})
		for name, value := range c.known {
			line = strings.ReplaceAll(line, "{"+name+"}", value)
		}
		switch name, value, _ := strings.Cut(line, ": "); {
		case !isAsked:
		case inBody:
			body = append(body, line)
		case strings.HasPrefix(line, "= "):
			name, value, _ := strings.Cut(line[2:], " ")
			keep[name] = value
		case method == "":
			method, target, _ = strings.Cut(line, " ")
		case line == "":
			inBody = true
		default:
			header.Add(name, value)
		}
	}
	sent := strings.ReplaceAll(strings.Join(body, "\n"), `\r\n`, "\r\n")
	req, err := http.NewRequestWithContext(t.Context(), method, c.s.URL()+target, strings.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Host = header, header.Get("Host")
	settle(c.s) // what was asked before is counted then
	resp, err := c.client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	for name, text := range keep {
		if found := regexp.MustCompile(text).FindSubmatch(data); found != nil {
			c.known[name] = string(found[1])
		}
	}
	answer := fmt.Sprint(resp.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		value := resp.Header.Get(name)
		switch {
		case name == "Content-Length" && bytes.HasPrefix(data, []byte("<?xml")), bytes.HasPrefix(data, []byte("# HELP")):
			continue // they are the concern of others
		case name == "Date", name == "Server", name == "X-Amz-Request-Id":
			continue
		case name == "Last-Modified":
			when, _ := http.ParseTime(value)
			value = asNow[c.isNow(when)]
		}
		answer += "\n" + name + ": " + value
	}
	return c.plain(answer + asText(data) + asError(err))
}

// plain is a text without what differs each time.
func (c *conversation) plain(text string) string {
	text = instant.ReplaceAllStringFunc(text, func(m string) string {
		when, _ := time.Parse(time.RFC3339, m)
		return asNow[c.isNow(when)]
	})
	text = unsaid.ReplaceAllStringFunc(text, func(m string) string {
		if strings.Contains(m, "is not implemented") {
			return m // it names what
		}
		return ""
	})
	text = strings.ReplaceAll(text, c.s.URL(), "URL")
	for name, value := range c.known {
		text = strings.ReplaceAll(text, value, "{"+name+"}")
	}
	return text
}

// isNow allows for the machine's being busy, and for no other zone of time.
func (c *conversation) isNow(when time.Time) bool { return c.s.now().Sub(when).Abs() < 10*time.Minute }

// asText is a body as it is shown: an element on each line, or how long what is no text is.
func asText(data []byte) string {
	switch rest, isXML := strings.CutPrefix(string(data), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); {
	case isXML:
		return "\n" + strings.ReplaceAll(rest, "><", ">\n<")
	case len(data) == 0:
		return ""
	case bytes.HasPrefix(data, []byte("# HELP")):
		var counts []string
		for line := range strings.SplitSeq(string(data), "\n") {
			if strings.HasPrefix(line, "plimsoll_s3_") && !strings.HasPrefix(line, "plimsoll_s3_memory_bytes") {
				counts = append(counts, line)
			}
		}
		return "\n" + strings.Join(counts, "\n")
	case len(data) > 200:
		return fmt.Sprintf("\n%d bytes", len(data))
	}
	return "\n" + strings.TrimSuffix(string(data), "\n")
}

func asError(err error) string {
	if err != nil {
		return "\nand then it was cut off"
	}
	return ""
}

// talking is a server that everybody may use, whose ETags are those of S3.
func talking(t *testing.T, change ...func(*Config)) *Server {
	t.Helper()
	return serve(t, func(c *Config) {
		c.Anonymous, c.MD5ETags, c.Region = true, true, "eu-west-3"
		for _, f := range change {
			f(c)
		}
	})
}

func TestConversations(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"buckets": func(*Config) {}, "keys": func(c *Config) { c.Region = DefaultRegion },
		"objects": func(*Config) {}, "ranges": func(*Config) {}, "copies": func(*Config) {}, "lists": func(*Config) {},
		"checksums": func(*Config) {}, "uploads": func(*Config) {}, "uploadlists": func(*Config) {},
		"completion": func(*Config) {}, "routes": func(*Config) {},
		"strict": func(c *Config) { c.StrictPartSize, c.FailPart = true, 9 },
	} {
		t.Run(name, func(t *testing.T) { converse(t, talking(t, change), name) })
	}
}
