// Package schema holds the JSON Schemas (draft 2020-12) of gpusim's own formats. Editors
// take them to complete and check launch files; scripts may check reports.
package schema

import (
	_ "embed" // for the schemas
)

// Launch is the schema of launch files.
//
//go:embed launch.schema.json
var Launch []byte

// Report is the schema of JSON reports.
//
//go:embed report.schema.json
var Report []byte
