package saved

import (
	"github.com/plimsoll/plimsoll/rundoc"
)

// Alike reads the kept runs that may be repetitions of a run, as far as the list of runs says it: of the same workload
// and target. It goes from the newest on, as long as take says that it wants more. reading is told how many documents
// the list has to read before.
func (s *Runs) Alike(like *rundoc.Run, kinds Kinds, reading func(int), take func(*rundoc.Run) bool) error {
	list, _, err := s.List(kinds, Choice{Filter: &Filter{Kind: like.Workload}, Reading: reading})
	if err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		if e.Kind != KindRun || e.Error != "" {
			continue
		}
		if e.Target != like.Target.URL && !(like.Target.Embedded && e.Target == "embedded") {
			continue
		}
		doc, err := rundoc.ReadFile(s.Path(e.ID))
		if err != nil {
			continue // it was removed meanwhile, or cannot be read
		}
		if !take(doc) {
			return nil
		}
	}
	return nil
}
