package setting

import "slices"

// Set is the settings of one call of a command, or of one server.
type Set struct {
	groups []group
	rules  []func() error
}

// group is the settings below one heading.
type group struct {
	heading  string
	settings []*Setting
}

// New is a set of settings without a heading: what no flag sets.
func New(fields ...*Setting) *Set { return new(Set).Group("", fields...) }

// Group adds settings below a heading. That one may be there already: they are added to its others.
func (s *Set) Group(heading string, settings ...*Setting) *Set {
	i := slices.IndexFunc(s.groups, func(g group) bool { return g.heading == heading })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, group{heading: heading})
	}
	for _, one := range settings {
		one.Heading = heading
	}
	s.groups[i].settings = append(s.groups[i].settings, settings...)
	return s
}

// Rules adds checks that are about more than one setting, or about what no flag sets.
func (s *Set) Rules(rules ...func() error) *Set {
	s.rules = append(s.rules, rules...)
	return s
}

// All are the settings, group by group.
func (s *Set) All() []*Setting {
	var all []*Setting
	for _, g := range s.groups {
		all = append(all, g.settings...)
	}
	return all
}

// Lookup returns the setting of a flag, or nil. It also knows the earlier and the other names of a flag; a present name
// takes precedence over these.
func (s *Set) Lookup(flag string) *Setting {
	var called *Setting
	for _, one := range s.All() {
		switch {
		case flag == "":
		case one.Name == flag:
			return one
		case called == nil && one.Called(flag):
			called = one
		}
	}
	return called
}

// Often says which settings most people need, in the order in which the help shows them first. A name that is no flag
// is a slip of the program.
func (s *Set) Often(flags ...string) *Set {
	for i, name := range flags {
		one := s.Lookup(name)
		if one == nil {
			panic("setting: Often: no setting --" + name)
		}
		one.Often = i + 1
	}
	return s
}

// Check is the first rule that is broken: those of each setting that has a flag, and then those about
// several. A setting that nobody can set is not checked on its own.
func (s *Set) Check() error {
	for _, one := range s.All() {
		if one.Name == "" {
			continue
		}
		if err := one.check(); err != nil {
			return err
		}
	}
	for _, rule := range s.rules {
		if err := rule(); err != nil {
			return err
		}
	}
	return nil
}
