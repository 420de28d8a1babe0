package chat

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// Mix says what the messages are.
type Mix struct {
	Users       int     // user ids are 1 to Users
	Rooms       int     // rooms are 1 to Rooms
	Templates   int     // different message texts
	MessageSize int     // characters of the text; 0: as the template has
	TextShare   float64 // shares sum to 1
	JoinShare   float64
	LeaveShare  float64
}

// protocol is the preset of the reference's chat, with the messages of a mix.
func (m *Mix) protocol() (*wsproto.Protocol, error) {
	p, err := wsproto.LoadPreset("chat", wsproto.Options{})
	if err != nil {
		return nil, err
	}
	p.Messages, err = m.messages()
	return p, err
}

// messages are those of the types that the mix has.
func (m *Mix) messages() ([]wsproto.Message, error) {
	texts := make([]string, max(m.Templates, 1))
	for i := range texts {
		texts[i] = words(i, m.MessageSize)
	}
	text := texts[0]
	if len(texts) > 1 {
		text = "${pick " + strings.Join(texts, "|") + "}"
	}
	user, err := template.NewDraw("user", fmt.Sprintf("${int 1 %d}", max(m.Users, 1)), &template.Known{})
	if err != nil {
		return nil, err
	}
	said, err := template.NewDraw("words", text, &template.Known{})
	if err != nil {
		return nil, err
	}
	known := &template.Known{Of: template.OfMessage, Draws: []template.Draw{user, said}}
	var list []wsproto.Message
	for _, of := range []struct {
		name  string
		share float64
	}{{"TEXT", m.TextShare}, {"JOIN", m.JoinShare}, {"LEAVE", m.LeaveShare}} {
		if of.share <= 0 {
			continue
		}
		source := `{"userId":"${user}","username":"user${user}","message":"${words}","roomId":"${room}",` +
			`"messageType":"` + of.name + `","messageId":"${mark}","timestamp":"${now rfc3339_us}"}`
		t, err := template.Compile(source, template.JSON, known)
		if err != nil {
			return nil, err
		}
		list = append(list, wsproto.Message{Name: of.name, Weight: of.share, Send: wsproto.TextOf(t, "", source)})
	}
	return list, nil
}

// The words of the templates. Their numbers share no factor, so that templates differ until
// all combinations are used: 7 × 11 × 13 = 1001.
var (
	openings = [...]string{
		"Good morning all,", "Quick note:", "For those who just joined,", "As promised,",
		"Before I forget,", "Between us,", "To whoever is awake,",
	}
	subjects = [...]string{
		"the harbour pilot", "our night shift", "the new build", "the second crane", "the map room",
		"the old ferry", "the survey team", "the tide table", "the lighthouse", "the cargo desk", "the weather desk",
	}
	news = [...]string{
		"is running ten minutes late today.", "looks better than last week.", "needs one more pair of hands.",
		"is open again since noon.", "asks for a short call at three.", "has moved to the upper deck.",
		"passed its inspection, well done.", "will be closed on Thursday.", "found the missing crate at last.",
		"wants your opinion on the plan.", "is waiting for the green light.", "has coffee, if you hurry.",
		"sends its regards to everyone.",
	}
)

// words is text number i, cut or repeated to size characters if that is not 0.
func words(i, size int) string {
	s := openings[i%len(openings)] + " " + subjects[i%len(subjects)] + " " + news[i%len(news)]
	if size == 0 {
		return s
	}
	for len(s) < size {
		s += " " + s
	}
	return strings.TrimRight(s[:size], " ") + strings.Repeat(".", size-len(strings.TrimRight(s[:size], " ")))
}
