// Package until decides when enough was seen of a window: it goes on until the confidence interval of a figure is as
// narrow as was asked for, or until it is clear that this cannot be had.
//
// It is given what the window came to in batches, equal stretches of time, and is pure: it reads no clock and knows no
// engine and no document. Who stops when an interval happens to be narrow has intervals that cover less than they say.
// So there are few looks, at moments that grow geometrically, an interval has to be narrow at two of them, and its
// width is the widest that batches of several lengths give. A test holds what is left to that.
package until
