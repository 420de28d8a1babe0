package setting

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ship is what the tests set.
type ship struct {
	Name    string
	Masts   int
	Draught float64
	Voyage  time.Duration
	Hold    int64
	Steam   bool
	Crew    []string
	Log     string
}

func (s *ship) settings() *Set {
	return New(Field(&s.Log).At("log").WrittenAs(func() any { return "…" })).
		Group("Hull",
			Text(&s.Name, "name", "word", "what it is called").At("name"),
			Count(&s.Masts, "masts", "count", "how many").At("rig.masts").Between(1, 7).Short("m"),
			Share(&s.Draught, "loaded", "how deep").At("rig.loaded").OmitZero(),
			Size(&s.Hold, "hold", "room").At("hold_bytes").OmitZero()).
		Group("Voyage", Duration(&s.Voyage, "voyage", "how long").At("rig.voyage_ns").SetByRun(),
			Switch(&s.Steam, "steam", "under steam").At("steam").OmitZero()).
		Group("Hull", List(&s.Crew, "sailor", "name", "who comes along").At("crew").OmitZero()).
		Rules(func() error {
			if s.Steam && s.Masts > 3 {
				return errors.New("a steamer with so many masts")
			}
			return nil
		})
}

func TestPlanDocument(t *testing.T) {
	for _, test := range []struct {
		ship ship
		want string
	}{
		{ship{Masts: 3, Log: "hush"}, `{"log":"…","name":"","rig":{"masts":3,"voyage_ns":0}}`},
		{ship{"Beagle", 2, .5, time.Second, 4, true, []string{"a"}, ""},
			`{"log":"…","name":"Beagle","rig":{"masts":2,"loaded":0.5,"voyage_ns":1000000000},` +
				`"hold_bytes":4,"crew":["a"],"steam":true}`},
	} {
		got, err := json.Marshal(test.ship.settings())
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
	}
	// What JSON cannot say is an error and not left out.
	not := ship{Draught: math.NaN()}
	if got, err := not.settings().MarshalJSON(); err == nil {
		t.Errorf("%s", got)
	}
}

func TestTargetArgs(t *testing.T) {
	target := func() *Target {
		s := ship{Masts: 1}
		return &Target{Server: "ship", Example: "masts=3", Set: s.settings()}
	}
	got, err := target().Args([]string{"masts=2", "--steam", "name=a=b", "loaded=5%"})
	if diff := cmp.Diff([]string{"--masts=2", "--steam=true", "--name=a=b", "--loaded=5%"}, got); diff != "" ||
		err != nil {
		t.Errorf("%s%v", diff, err)
	}
	for value, want := range map[string]string{
		"masts":    `"masts" has no value: write --target-flag masts=3`,
		"sails=1":  `"sails" is not a flag of 'plimsoll serve ship'`,
		"=1":       `"" is not a flag`,
		"voyage=1": "voyage is set by the run itself",
		"masts=x":  "is not a whole number",
		"masts=9":  "--target-flag: --masts is 9",
	} {
		if _, err := target().Args([]string{value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
	var given []string
	flag := target().Flag(&given)
	if diff := cmp.Diff([]string{"name=", "masts=", "loaded=", "hold=", "sailor=", "steam"}, flag.Words); diff != "" {
		t.Error(diff)
	}
	if err := flag.Set("masts=3"); err != nil || len(given) != 1 || flag.Name != "target-flag" {
		t.Errorf("%v %v", given, err)
	}
}
