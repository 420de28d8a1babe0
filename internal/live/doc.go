// Package live shows the runs of a command to a browser while they go on: the page that a report would be, of what was
// counted so far, told anew about once a second, and at the end the report itself.
//
// It looks on (internal/onlook) and serves (internal/web); the run knows nothing of it. What nobody looks at is not
// worked out, and a browser that is slow holds up nothing. What it shows was counted: no figure is better than the
// truth, what is not known is not there, and whether any of it is to be believed, it leaves to the end.
//
// A Page is for one command: Open and End are its owner's; the rest of it may be called by anybody.
package live
