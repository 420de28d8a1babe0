package outfile

// SyncDir does nothing: there is no such thing on Windows.
func (Machine) SyncDir(string) error { return nil }
