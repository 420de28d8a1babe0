// Package docschema makes the JSON Schemas of run documents and set documents, docs/run.schema.json and
// docs/set.schema.json: the fields by reflection on the types of rundoc and setdoc, what they mean from the comments
// there.
//
// It is no part of the program: its test writes the files (-update), and holds them against every kept document. It
// keeps nothing.
package docschema
