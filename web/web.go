// Package web is the page that people drop files on: its sources, its build, and
// the HTML that stands before any script runs.
//
// It owns what the page looks like and where its parts are found. It must not
// know HTTP: handlers answer with what it gives them.
//
// The build holds code of others and is made by npm (make page), never committed.
// Without it the package still gives a page: one without a script.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// dist is what the build has made, or a note on that nothing has.
//
//go:embed all:dist
var dist embed.FS

//go:embed page.html
var source string

//go:embed src/style.css
var style []byte

// Asset is one part of the page. Its name changes with its content.
type Asset struct {
	// Type is its media type, ETag its validator with its quotes.
	Type, ETag string
	// Content is the part itself, Brotli and Gzip are the same compressed; nil
	// where that wasn't done.
	Content, Brotli, Gzip []byte
}

// Page is the page as it was built.
type Page struct {
	template *template.Template
	assets   map[string]Asset
	names    names
}

// names are the names of the assets that the HTML leads to; empty for none.
type names struct {
	Script string `json:"script"` // the page itself
	Early  string `json:"early"`  // what has to run before anything shows
	Style  string `json:"style"`
	Icon   string `json:"icon"`
}

// New reads the build.
func New() (*Page, error) { return read(dist) }

func read(files fs.FS) (*Page, error) {
	p := &Page{assets: make(map[string]Asset)}
	var err error
	if p.template, err = template.New("page").Funcs(template.FuncMap{"shown": shown}).Parse(source); err != nil {
		return nil, err
	}
	manifest, err := fs.ReadFile(files, "dist/manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		p.names.Style = "style-" + digest(style)[:8] + ".css"
		p.assets[p.names.Style] = newAsset(p.names.Style, style)
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(manifest, &p.names)
	}
	if err == nil {
		err = p.readAssets(files)
	}
	if err != nil {
		return nil, fmt.Errorf("read the build of the page: %w", err)
	}
	return p, nil
}

// readAssets takes in every file of the build; those that end in .br and .gz are
// others, compressed.
func (p *Page) readAssets(files fs.FS) error {
	all, err := fs.Glob(files, "dist/*.*")
	if err != nil {
		return err
	}
	for _, file := range all {
		name := path.Base(file)
		if mediaTypes[path.Ext(name)] == "" {
			continue
		}
		content, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		asset := newAsset(name, content)
		if asset.Brotli, err = optional(files, file+".br"); err != nil {
			return err
		}
		if asset.Gzip, err = optional(files, file+".gz"); err != nil {
			return err
		}
		p.assets[name] = asset
	}
	for _, name := range []string{p.names.Script, p.names.Early, p.names.Style, p.names.Icon} {
		if _, ok := p.assets[name]; !ok {
			return fmt.Errorf("%q is missing", name)
		}
	}
	return nil
}

// mediaTypes are those of the files that are parts of the page.
var mediaTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

func newAsset(name string, content []byte) Asset {
	return Asset{Type: mediaTypes[path.Ext(name)], ETag: `"` + digest(content) + `"`, Content: content}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

func optional(files fs.FS, name string) ([]byte, error) {
	content, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// Built reports whether the page has its script.
func (p *Page) Built() bool { return p.names.Script != "" }

// Asset finds a part of the page by its name.
func (p *Page) Asset(name string) (Asset, bool) {
	asset, ok := p.assets[name]
	return asset, ok
}

// View is what the HTML shows before any script runs, and all that it ever shows
// where none does.
type View struct {
	// Base is the path below which the server stands, without a slash at its end.
	Base string
	// Nonce is what the policy of this one answer lets scripts run by.
	Nonce string
	// Folder is the path of the folder, empty for all files; URL leads to it.
	Folder, URL string
	// Query is what addresses on the page have behind their "?", so that they lead
	// those on who have come by a link.
	Query string
	// Top is the folder above which there is nothing to see.
	Top string
	// Listed tells that there is a folder to show.
	Listed  bool
	Entries []Entry
	// More tells that the folder holds more than Entries.
	More bool
	// Sends tells that forms may be sent there.
	Sends bool
	// Drops tells that there is a folder to send files to, and nothing to show.
	Drops bool
	// Sent is what has just been stored there.
	Sent []Entry
	// Problem is shown in place of the folder.
	Problem *Problem
	// Runs lets the script run all the same: it asks for a token.
	Runs bool
}

// Entry is a file or folder, in words.
type Entry struct{ Name, URL, Size, Modified string }

// Problem is what went wrong, in words.
type Problem struct {
	Status    int
	Title     string
	Detail    string
	RequestID string
}

// Crumb is one of the folders above, or the folder itself.
type Crumb struct{ Name, URL string }

// Crumbs lead from the top to the folder.
func (v View) Crumbs() []Crumb {
	var crumbs []Crumb
	folder, url := v.Folder, v.URL
	for folder != "" && len(folder) >= len(v.Top) {
		crumbs = append(crumbs, Crumb{path.Base(folder), v.with(url, "")})
		folder = strings.TrimSuffix(strings.TrimSuffix(folder, path.Base(folder)), "/")
		url = url[:strings.LastIndexByte(strings.TrimSuffix(url, "/"), '/')+1]
	}
	if v.Top == "" {
		crumbs = append(crumbs, Crumb{"All files", v.with(url, "")})
	}
	slices.Reverse(crumbs)
	return crumbs
}

// shown is a name as it is safe to read: marks that turn the direction of writing
// would let "exe.txt" stand for what ends in ".exe".
func shown(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// Action is where the form is sent to.
func (v View) Action() string { return v.with(v.URL, "") }

// Archive is where the folder is found as an archive of a kind.
func (v View) Archive(kind string) string { return v.with(v.URL, "archive="+kind) }

// with adds a query, and that of the link, to an address.
func (v View) with(url, query string) string {
	if query != "" && v.Query != "" {
		query += "&"
	}
	if query += v.Query; query != "" {
		url += "?" + query
	}
	return url
}

// Render writes the HTML of the page, which runs the page's script unless it
// shows a problem, or what a form has sent.
func (p *Page) Render(w io.Writer, v View) error {
	return p.template.Execute(w, struct {
		View
		Assets names
		Starts bool
	}{v, p.names, p.Built() && v.Sent == nil && (v.Problem == nil || v.Runs)})
}
