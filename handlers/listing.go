package handlers

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// maxListed bounds a listing.
const maxListed = 10000

//go:embed listing.html
var listingSource string

var listingPage = template.Must(template.New("listing").Parse(listingSource))

// listed is one entry of a listing.
type listed struct {
	Name     string    `json:"name"`
	URL      string    `json:"url"`
	Folder   bool      `json:"folder"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// SizeText is the size for people.
func (l listed) SizeText() string { return humanize.IBytes(uint64(l.Size)) }

// ModifiedText is the time for people.
func (l listed) ModifiedText() string { return l.Modified.Format("2006-01-02 15:04") }

// listing is a folder as JSON and as the page's data.
type listing struct {
	Folder  string   `json:"folder"`
	Entries []listed `json:"entries"`
	// More tells that there is more than what is listed.
	More   bool   `json:"more"`
	Parent string `json:"-"`
	URL    string `json:"-"`
}

// downloadFolder answers a folder by its listing or, where the query asks for
// one, as an archive.
func (h *Handlers) downloadFolder(c *fiber.Ctx, folder storage.Name) error {
	if !strings.HasSuffix(c.Path(), "/") {
		// Links in the page are relative to the folder.
		to := h.links(c).folder(folder)
		if query := c.Context().URI().QueryString(); len(query) > 0 {
			to += "?" + string(query)
		}
		return c.Redirect(to, fiber.StatusMovedPermanently)
	}
	if c.Context().QueryArgs().Has(archiveKey) {
		return h.archive(c, folder)
	}
	return h.list(c, folder)
}

// list answers a folder, as JSON for those who ask for it and as a plain page
// otherwise.
func (h *Handlers) list(c *fiber.Ctx, folder storage.Name) error {
	infos, more, err := h.store(c).List(h.opts.Context, folder, maxListed)
	if err != nil {
		return err
	}
	links := h.links(c)
	l := listing{Folder: folder.String(), Entries: []listed{}, More: more, URL: links.folder(folder)}
	if !folder.IsRoot() {
		l.Parent = links.folder(folder.Parent())
	}
	for _, info := range infos {
		l.Entries = append(l.Entries, listed{info.Name.Base(), links.entry(info), info.Folder, info.Size, info.ModTime.UTC()})
	}
	c.Vary(fiber.HeaderAccept)
	if c.Accepts(fiber.MIMEApplicationJSON, fiber.MIMETextHTML) == fiber.MIMEApplicationJSON {
		return c.JSON(l)
	}
	return sendPage(c, l)
}

func sendPage(c *fiber.Ctx, l listing) error {
	var page bytes.Buffer
	if err := listingPage.Execute(&page, l); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	return c.Send(page.Bytes())
}

// Home leads to the files.
func (h *Handlers) Home(c *fiber.Ctx) error {
	return c.Redirect(h.links(c).folder(storage.Name{}), fiber.StatusFound)
}
