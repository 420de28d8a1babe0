package planfile

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// object is an object of JSON; encoding/json writes its members in the order of their names, as a file that is
// kept needs.
type object = map[string]any

// variable is the pattern of a text that holds a variable: it may become whatever a setting takes.
const variable = `\$\{`

// JSONSchema is the JSON Schema (draft 2020-12) of plan files, for editors: which keys there are, what they mean and
// what they take. It takes each file that Read takes; Read itself looks at more.
func JSONSchema(kinds []run.Kind) ([]byte, error) {
	var names []string
	var choices []any
	defs := object{}
	all := object{}
	for _, k := range kinds {
		names = append(names, k.Name)
		own := object{}
		settings := k.New().Settings()
		for _, s := range settings.All() {
			if s.Name == "" || refused(s.Name) != nil {
				continue
			}
			own[s.Name] = schemaOf(s)
			all[s.Name] = either(all[s.Name], own[s.Name])
			for _, former := range s.Former {
				if settings.Lookup(former) != s {
					continue // another setting has the name now
				}
				own[former] = object{"deprecated": true, "description": "Earlier name of " + s.Name + "."}
				all[former] = either(all[former], own[former])
			}
		}
		defs[k.Name] = object{"type": "object", "additionalProperties": false, "properties": own,
			"description": fmt.Sprintf("Settings of 'plimsoll %s', by the names of its flags.", k.Name)}
		choices = append(choices, object{
			"if":   object{"properties": object{"kind": object{"const": k.Name}}, "required": []string{"kind"}},
			"then": object{"properties": object{"settings": object{"$ref": "#/$defs/" + k.Name}}},
		})
	}
	thresholds := severalOf(object{"type": "string", "minLength": 1}, "Thresholds, such as p99<50ms. "+
		"If one is missed, the exit status is 3.")
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "urn:plimsoll:plan:v1",
		"title":   "Plan of Plimsoll",
		"description": "Runs for 'plimsoll run', in order. Values can contain environment variables: ${NAME}, " +
			"${NAME:-default}, and $$ for a dollar sign.",
		"type": "object", "additionalProperties": false, "required": []string{keyPlan, keyRuns},
		"properties": object{
			keyPlan: object{"const": Schema, "description": "Marks the file as a plan, and its version."},
			keyDefaults: object{"type": []string{"object", "null"}, "additionalProperties": false, "properties": all,
				"description": "Settings for all runs that have them, unless a run sets its own value."},
			keyThresholds: thresholds,
			keyRuns: object{"type": "array", "minItems": 1, "maxItems": maxRuns, "items": object{"$ref": "#/$defs/run"},
				"description": "The runs, in order."},
		},
		"$defs": defs,
	}
	defs["run"] = object{
		"type": "object", "additionalProperties": false, "required": []string{keyKind},
		"properties": object{
			keyName: object{"type": []string{"string", "number"}, "description": "Name of the run in reports."},
			keyKind: orVariable(object{"enum": names, "description": "Kind of run: the name of the command."}),
			keyArguments: severalOf(object{"type": []string{"string", "number"}},
				"Arguments of the command, such as a URL."),
			keySettings:   object{"type": "object", "description": "Settings of the run, by the names of the flags."},
			keyThresholds: thresholds,
		},
		"allOf": choices,
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

// schemaOf is what a setting takes.
func schemaOf(s *setting.Setting) any {
	var takes object
	switch {
	case s.Switch():
		takes = orVariable(object{"type": "boolean"}, object{"enum": []string{"true", "false"}})
	case s.Kind == "rate":
		takes = orVariable(object{"type": "number"}, object{"pattern": `^[ 0-9.eE+-]+$`, "type": "string"})
	case s.Whole():
		takes = orVariable(object{"type": "integer"}, object{"pattern": `^[ 0-9_+-]+$`, "type": "string"})
	case s.Kind == "share":
		takes = object{"type": []string{"number", "string"}, "examples": []any{0.05, "5%"}}
	case s.Kind == "duration":
		takes = object{"type": []string{"string", "integer"}, "examples": []any{"5s", "50ms", "1m30s"}}
	case s.Kind == "size":
		takes = object{"type": []string{"string", "integer"}, "examples": []any{"8MiB", "128k", 512}}
	case s.Closed:
		takes = orVariable(object{"enum": s.Words})
	case len(s.Words) > 0 && !s.Unended:
		takes = object{"anyOf": []any{object{"enum": s.Words}, object{"type": []string{"string", "number", "boolean"}}}}
	default:
		takes = object{"type": []string{"string", "number", "boolean"}}
	}
	if s.Several {
		return severalOf(takes, s.Help)
	}
	takes["description"] = s.Help
	return takes
}

// orVariable is a choice, or a text with a variable in it.
func orVariable(choices ...object) object {
	all := []any{}
	for _, c := range choices {
		all = append(all, c)
	}
	return object{"anyOf": append(all, object{"type": "string", "pattern": variable})}
}

// either is what two kinds take for a setting of the same name; the first may be nil.
func either(one, other any) any {
	if one == nil || fmt.Sprint(one) == fmt.Sprint(other) {
		return other
	}
	return object{"anyOf": []any{one, other}}
}

// severalOf is a value or a list of values.
func severalOf(one object, description string) object {
	return object{"description": description, "anyOf": []any{one, object{"type": "array", "items": one}}}
}
