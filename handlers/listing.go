package handlers

import (
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/gofiber/fiber/v2"

	"sluice/storage"
	"sluice/web"
)

// maxListed bounds a listing.
const maxListed = 10000

// listed is one entry of a listing.
type listed struct {
	Name     string    `json:"name"`
	URL      string    `json:"url"`
	Folder   bool      `json:"folder"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// listing is a folder as JSON.
type listing struct {
	Folder  string   `json:"folder"`
	Entries []listed `json:"entries"`
	// More tells that there is more than what is listed.
	More bool `json:"more"`
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

// list answers a folder: to browsers that open it by the page, and to all others
// as JSON where they ask for it.
func (h *Handlers) list(c *fiber.Ctx, folder storage.Name) error {
	infos, more, err := h.store(c).List(h.opts.Context, folder, maxListed)
	if err != nil {
		return err
	}
	links := h.links(c)
	l := listing{Folder: folder.String(), Entries: []listed{}, More: more}
	for _, info := range infos {
		l.Entries = append(l.Entries, listed{info.Name.Base(), links.entry(info), info.Folder, info.Size, info.ModTime.UTC()})
	}
	c.Vary(fiber.HeaderAccept)
	if c.Accepts(fiber.MIMEApplicationJSON, fiber.MIMETextHTML) == fiber.MIMEApplicationJSON {
		return c.JSON(l)
	}
	return h.sendPage(c, l.view(links.folder(folder)))
}

// view is the listing in words.
func (l listing) view(url string) web.View {
	v := web.View{Folder: l.Folder, URL: url, Listed: true, More: l.More, Entries: make([]web.Entry, len(l.Entries))}
	for i, e := range l.Entries {
		v.Entries[i] = web.Entry{Name: e.Name, URL: e.URL, Modified: e.Modified.Format("2006-01-02 15:04")}
		if e.Folder {
			v.Entries[i].Name += "/"
		} else {
			v.Entries[i].Size = humanize.IBytes(uint64(e.Size))
		}
	}
	return v
}
