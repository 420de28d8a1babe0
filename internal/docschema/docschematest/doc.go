// Package docschematest compiles JSON Schemas into something to validate with.
//
// It is imported by tests alone, has no state, and knows no schema: docschema's own tests use it, too.
package docschematest
