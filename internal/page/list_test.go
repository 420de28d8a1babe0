package page

import (
	"bytes"
	"strings"
	"testing"
)

// What stands in a list is text, whatever it looks like, and nothing in it can run.
func TestList(t *testing.T) {
	const hostile = `"><script>alert(1)</script>`
	l := &List{
		Title: hostile, Intro: hostile, Links: []Link{{hostile, hostile}}, Filter: &Filter{To: hostile, Value: hostile, Help: hostile},
		Choose: hostile, Heads: []ListHead{{Text: "run"}, {Text: hostile, Right: true}, {Text: "verdict"}},
		Rows: []ListRow{
			{Mark: hostile, To: hostile, Cells: []string{hostile, hostile, hostile}, Tone: Tone(hostile), Save: Link{hostile, hostile}},
			{Cells: []string{"no run", "unreadable"}, Tone: ToneBad},
		},
		Earlier: Link{hostile, hostile}, Later: Link{hostile, hostile},
	}
	var text bytes.Buffer
	if err := WriteList(&text, l); err != nil {
		t.Fatal(err)
	}
	page := text.String()
	if strings.Contains(page, "<script") || strings.Count(page, "&lt;script&gt;") < 15 {
		t.Errorf("it is not all escaped: %s", page)
	}
	for _, want := range []string{
		`<td class="bad">unreadable</td><td colspan="1"></td>`, `<td class="plain">`, `<td class="number" data-head="`, "form-action &#39;self&#39;",
		`<label for="q">`, `type="checkbox" name="with"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
	text.Reset()
	if err := WriteList(&text, &List{Title: "t", Choose: "/runs", Empty: "nothing there"}); err != nil {
		t.Fatal(err)
	}
	if page := text.String(); !strings.Contains(page, "nothing there") || strings.Contains(page, "<form") || strings.Contains(page, "<table") {
		t.Errorf("without a row: %s", page)
	}
}
