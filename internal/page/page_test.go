package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

func written(t *testing.T, c Content) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever a document says is text: wherever a model has words, markup in them is none.
func TestWordsAreText(t *testing.T) {
	const evil = `"'><b onclick=x>&amp;</script>`
	c := fixture()
	c.Title, c.Subtitle, c.Now, c.Next = evil, evil, evil, evil
	c.Before = report.Fact{Key: evil, Value: evil, Points: []string{evil}}
	c.Facts = []report.Fact{{Key: evil, Value: evil + " · " + evil, Points: []string{evil}}, {Key: "Verdict", Value: evil}}
	c.Tiles = []report.Tile{{Name: evil, Value: evil, Unit: evil, Notes: []string{evil}}}
	c.Thresholds = []report.ThresholdRow{{Name: evil, Limit: evil, Value: evil, Corrected: evil, Outcome: evil}}
	c.ThresholdNotes = []string{evil}
	c.Links = []Link{{Text: evil, To: evil}}
	c.Sections = append(c.Sections, report.Section{
		Title: evil, Intro: []string{evil}, Drawing: evil, Notes: []string{evil},
		Tables: []report.Table{report.TableOf([]string{evil},
			report.Left(evil, func(s string) string { return s }), report.Right(evil, func(s string) string { return s }))},
	})
	c.Documents = []Document{{Name: evil, Schema: evil, Text: []byte(evil)}}
	page := written(t, c)
	if strings.Contains(page, "<b onclick") {
		t.Error("a word became markup")
	}
	// None is left out.
	if n := strings.Count(page, "&lt;b onclick=x&gt;&amp;amp;&lt;/script&gt;"); n < 30 {
		t.Errorf("the words are there %d times", n)
	}
}

// A page asks for nothing: no address is in it but those of links that a reader follows.
func TestPageLoadsNothing(t *testing.T) {
	page := written(t, fixture())
	for _, pattern := range []string{`\bsrc=["']?(https?:)?//`, `<link[^>]+href="[^d]`, `@import`, `url\(\s*["']?http`, `<script[^>]+src`} {
		markup := regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(page, "")
		if found := regexp.MustCompile(pattern).FindString(markup); found != "" {
			t.Errorf("the page asks for something: %s", found)
		}
	}
	if n := strings.Count(page, "<html"); n != 1 {
		t.Errorf("%d pages in the file", n)
	}
	if strings.Contains(regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(page, ""), ` style="`) {
		t.Error("a style in the markup, which the policy forbids")
	}
}

var policyOf = regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`)

// The policy lets the script and the style of the page through, which it knows by their hashes, and nothing else.
func TestPolicy(t *testing.T) {
	for name, page := range map[string]string{"file": written(t, fixture()), "live": liveText(t)} {
		policy := strings.ReplaceAll(policyOf.FindStringSubmatch(page)[1], "&#39;", "'")
		for element, directive := range map[string]string{"script": "script-src", "style": "style-src"} {
			text := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(page)[1]
			sum := sha256.Sum256([]byte(text))
			if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
				t.Errorf("%s: %q lacks %q", name, policy, want)
			}
		}
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %q", name, policy)
		}
		if strings.Contains(policy, "connect-src") != (name == "live") {
			t.Errorf("%s: %q", name, policy)
		}
	}
}

func liveText(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := Live(&b, fixture(), `/events?"x"`); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `data-events="/events?&#34;x&#34;"`) {
		t.Error("the page does not know where events come from")
	}
	return b.String()
}

var packedIn = regexp.MustCompile(`<script type="application/gzip"(?: id="([^"]*)")? data-name="([^"]*)"` +
	`(?: data-again="([^"]*)")?>([^<]*)</script>`)

// Documents come out as they went in, byte for byte, and panels as JSON.
func TestDocuments(t *testing.T) {
	c := fixture()
	c.Documents = []Document{
		{Name: "a.json", Text: []byte("{\"a\": \"ü\x00\xff</script>\"}\r\n\n")}, {Name: "empty", Text: nil},
		{Name: "b.json", Text: bytes.Repeat([]byte("0123456789"), 100_000)},
		{Name: "again.json", Text: closedModel()},
	}
	want := map[string]string{}
	for _, d := range c.Documents {
		want[d.Name] = string(d.Text)
	}
	panels, err := json.Marshal(c.Panels)
	if err != nil {
		t.Fatal(err)
	}
	want["panels.json"] = string(panels)
	got := map[string]string{}
	for _, found := range packedIn.FindAllStringSubmatch(written(t, c), -1) {
		got[found[2]] = restored(t, unpacked(t, found[4]), found[3])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a text has again, too far off for gzip, is in the page once.
func TestRepeatedTextIsStoredOnce(t *testing.T) {
	text := closedModel()
	rest, all := withoutAgain(text)
	if len(all) != 3 || len(rest) > len(text)/5*2+1000 {
		t.Errorf("%d stretches, and %d bytes of %d are left", len(all), len(rest), len(text))
	}
	near := bytes.Repeat([]byte(`"`+strings.Repeat("x", 10_000)+`"`), 3)
	if rest, all := withoutAgain(near); len(all) != 0 || !bytes.Equal(rest, near) {
		t.Errorf("what gzip finds by itself: %v", all)
	}
}

// restored is what the script makes of data, by what it is told of stretches.
func restored(t *testing.T, rest, told string) string {
	t.Helper()
	numbers := strings.Fields(told)
	all := ""
	for i := 0; i+2 < len(numbers); i += 3 {
		var at, from, length int
		if _, err := fmt.Sscan(strings.Join(numbers[i:i+3], " "), &at, &from, &length); err != nil {
			t.Fatal(err)
		}
		n := at - len(all)
		all += rest[:n]
		rest = rest[n:]
		all += all[from : from+length]
	}
	return all + rest
}

func unpacked(t *testing.T, letters string) string {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(letters)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An event says on one line what a file has, in the same words.
func TestEvent(t *testing.T) {
	c := fixture()
	c.Now = "measuring"
	text, err := c.Event()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(text, "\n\r") {
		t.Error("the event is not on one line")
	}
	var e struct {
		Title, Head, Answer, Details string
		Over                         *bool
		Panels                       []json.RawMessage
	}
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	page := written(t, c)
	for _, part := range []string{e.Head, e.Answer, e.Details} {
		if part == "" || !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if e.Title != c.Title || e.Over == nil || *e.Over || len(e.Panels) != len(c.Panels) {
		t.Errorf("title %q, over %v, %d panels", e.Title, e.Over, len(e.Panels))
	}
	c.Now = ""
	if text, err = c.Event(); err != nil || !bytes.Contains(text, []byte(`"over":true`)) {
		t.Errorf("the end is not told: %v", err)
	}
}

// The verdict and the figures stand before the charts, and these before all details.
func TestVerdictComesFirst(t *testing.T) {
	page := written(t, fixture())
	at := -1
	for _, part := range []string{`class="banner good"`, "<dt>Throughput</dt>", `id="panels"`, `id="sections"`, `id="documents"`} {
		next := strings.Index(page, part)
		if next <= at {
			t.Errorf("%s does not come in its turn", part)
		}
		at = next
	}
}

// What 10 minutes have to show is less than a megabyte.
func TestSize(t *testing.T) {
	if n := len(written(t, largeFixture())); n >= 1_000_000 {
		t.Errorf("%d bytes", n)
	}
}

// A page without panels, documents, facts is a page still.
func TestPageWithoutPanels(t *testing.T) {
	page := written(t, Content{Model: Model{Title: "x", Panels: []graph.Panel{}}})
	if !strings.Contains(page, "<h1>x</h1>") || strings.Contains(page, `id="documents"`) {
		t.Error("a bare page is wrong")
	}
}
