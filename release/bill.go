package main

import (
	"debug/buildinfo"
	"io"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes what the program is made of, as its build says: its modules,
// and the standard library. It has no serial number and no date, so that the same
// program has the same bill.
func writeBill(path, program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bill := cdx.NewBOM()
	main := component(&debug.Module{Path: info.Main.Path, Version: version})
	main.Type = cdx.ComponentTypeApplication
	bill.Metadata = &cdx.Metadata{Component: &main}
	parts := []cdx.Component{component(&debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, component(module))
	}
	var refs []string
	for _, part := range parts {
		refs = append(refs, part.BOMRef)
	}
	bill.Components = &parts
	bill.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return create(path, func(out io.Writer) error {
		return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
	})
}

// component describes a module by its package URL, and the sum that the go command
// checks it by.
func component(module *debug.Module) cdx.Component {
	url := "pkg:golang/" + module.Path + "@" + module.Version
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: module.Path, Version: module.Version, PackageURL: url}
	if module.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: module.Sum}}
	}
	return c
}
