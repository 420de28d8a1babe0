"""Writes fields.py from the JSON Schemas of Plimsoll's documents.

    python plimsoll_rundoc/generate.py docs > plimsoll_rundoc/fields.py
"""

import json
import keyword
import pathlib
import sys

HEAD = '''"""The fields of Plimsoll's documents as types, for editors and type checkers.

Made from the JSON Schemas by generate.py: do not edit it. Names that end in _ns are nanoseconds.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

'''


def resolved(schema):
    """A schema without null beside it, and whether there was one."""
    if "anyOf" in schema:
        return next(s for s in schema["anyOf"] if s.get("type") != "null"), True
    if isinstance(schema.get("type"), list):
        return {**schema, "type": next(t for t in schema["type"] if t != "null")}, True
    return schema, False


def type_of(schema):
    """The type of what a schema describes, and the definition of the objects in it, or None."""
    schema, null = resolved(schema)
    text, inner = "Any", None
    kind = schema.get("type")
    if "$ref" in schema:
        inner = text = schema["$ref"].rpartition("/")[2].replace(".", "_")
    elif kind == "array":
        item, inner = type_of(schema["items"])
        text = f"List[{item}]"
    elif kind == "object" and "additionalProperties" in schema:
        item, inner = type_of(schema["additionalProperties"])
        text = f"Dict[str, {item}]"
    elif kind in ("string", "boolean", "integer", "number"):
        text = {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}[kind]
    elif "const" in schema:
        text = "str"
    return (f"Optional[{text}]" if null else text), inner


def class_of(name, schema, fields):
    """The class of an object, and its line in the table of fields."""
    lines, table = [], {}
    properties = dict(schema["properties"])
    details = [d["then"]["properties"]["detail"] for d in schema.get("allOf", [])]
    for field, of in properties.items():
        text, inner = type_of(of)
        if field == "detail" and details:
            text = "Union[" + ", ".join(type_of(d)[0] for d in details) + ", Dict[str, Any]]"
        table[field] = "*" + inner if inner and "Dict[" in text else inner
        lines.append((field, text))
    fields[name] = table
    if any(keyword.iskeyword(field) for field, _ in lines):
        body = ", ".join(f'"{field}": "{text}"' for field, text in lines)
        return f'{name} = TypedDict("{name}", {{{body}}}, total=False)\n'
    return f"class {name}(TypedDict, total=False):\n" + "".join(f"    {field}: {text}\n" for field, text in lines)


def generate(docs):
    """The text of fields.py."""
    fields, classes, details = {}, {}, {}
    for name, file in (("RunDocument", "run.schema.json"), ("SetDocument", "set.schema.json")):
        schema = json.loads((pathlib.Path(docs) / file).read_text(encoding="utf-8"))
        for d in schema.get("allOf", []):
            details[d["if"]["properties"]["workload"]["const"]] = type_of(d["then"]["properties"]["detail"])[1]
        for key, of in sorted(schema["$defs"].items()):
            key = key.replace(".", "_")
            classes[key] = class_of(key, of, fields)
        classes[name] = class_of(name, schema, fields)
    text = HEAD + "\n" + "\n\n".join(classes.values())
    text += "\n\n# The definition of the objects in each field, by its name, behind * where they are in one more; None: there are none.\nFIELDS = {\n"
    for name, table in fields.items():
        text += f'    "{name}": {{\n' + "".join(f'        "{k}": {v!r},\n' for k, v in table.items()) + "    },\n"
    text += "}\n\n# The definition of the detail of a run, by its workload.\nDETAILS = {\n"
    text += "".join(f'    "{k}": "{v}",\n' for k, v in sorted(details.items())) + "}\n"
    return text


if __name__ == "__main__":
    sys.stdout.write(generate(sys.argv[1]))
