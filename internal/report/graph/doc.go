// Package graph has charts as data: what is drawn, and not how. A report makes panels of documents; a renderer draws
// them, as a file (internal/report/chart) or in a browser (internal/page), and both draw the same figures.
//
// It knows no document and no kind. Nothing in it changes once made, so that anybody may read it at the same time.
package graph
