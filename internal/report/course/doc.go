// Package course makes panels of a run document: what every kind of run has to show over time, and of its times.
// Figures are those of the document; nothing is smoothed.
package course
