package handlers

import (
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// mediaTypes are the types of files by the lower-case extension of their names.
// The table is sluice's own, since package mime answers by what the machine has
// installed.
var mediaTypes = map[string]string{
	".7z": "application/x-7z-compressed", ".bz2": "application/x-bzip2", ".gz": "application/gzip", ".iso": "application/x-iso9660-image",
	".jar": "application/java-archive", ".rar": "application/vnd.rar", ".tar": "application/x-tar", ".tgz": "application/gzip",
	".xz": "application/x-xz", ".zip": "application/zip", ".zst": "application/zstd",

	".aac": "audio/aac", ".flac": "audio/flac", ".m4a": "audio/mp4", ".mid": "audio/midi", ".midi": "audio/midi", ".mp3": "audio/mpeg",
	".oga": "audio/ogg", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav", ".weba": "audio/webm",

	".3gp": "video/3gpp", ".avi": "video/x-msvideo", ".m4v": "video/mp4", ".mkv": "video/matroska", ".mov": "video/quicktime",
	".mp4": "video/mp4", ".mpeg": "video/mpeg", ".mpg": "video/mpeg", ".ogv": "video/ogg", ".ts": "video/mp2t", ".webm": "video/webm",

	".apng": "image/apng", ".avif": "image/avif", ".bmp": "image/bmp", ".gif": "image/gif", ".heic": "image/heic", ".heif": "image/heif",
	".ico": "image/vnd.microsoft.icon", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".jxl": "image/jxl", ".png": "image/png",
	".svg": "image/svg+xml", ".svgz": "image/svg+xml", ".tif": "image/tiff", ".tiff": "image/tiff", ".webp": "image/webp",

	".otf": "font/otf", ".ttf": "font/ttf", ".woff": "font/woff", ".woff2": "font/woff2",

	".conf": "text/plain", ".css": "text/css", ".csv": "text/csv", ".htm": "text/html", ".html": "text/html", ".ics": "text/calendar",
	".js": "text/javascript", ".log": "text/plain", ".md": "text/markdown", ".mjs": "text/javascript", ".srt": "application/x-subrip",
	".text": "text/plain", ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".vcf": "text/vcard", ".vtt": "text/vtt", ".xml": "text/xml",

	".doc": "application/msword", ".epub": "application/epub+zip", ".json": "application/json", ".jsonl": "application/jsonl",
	".odp": "application/vnd.oasis.opendocument.presentation", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
	".odt": "application/vnd.oasis.opendocument.text", ".pdf": "application/pdf", ".ppt": "application/vnd.ms-powerpoint",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".rtf": "application/rtf",
	".sql": "application/sql", ".toml": "application/toml", ".wasm": "application/wasm", ".xht": "application/xhtml+xml",
	".xhtml": "application/xhtml+xml", ".xls": "application/vnd.ms-excel",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xsl": "application/xslt+xml",
	".yaml": "application/yaml", ".yml": "application/yaml",
}

// mediaTypeOf is the type of a file by its name alone: what it holds is never
// looked at.
func mediaTypeOf(name string) string {
	kind, ok := mediaTypes[strings.ToLower(path.Ext(name))]
	switch {
	case !ok:
		return fiber.MIMEOctetStream
	case strings.HasPrefix(kind, "text/"):
		return kind + "; charset=utf-8"
	}
	return kind
}

// dispositionOf tells whether a browser may show a file by itself. It shows
// plain text and media; whatever may hold scripts is saved, and so is PDF, whose
// viewers run some too.
func dispositionOf(kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	group, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "image/svg+xml":
		return saved
	case kind == "text/plain", group == "image", group == "audio", group == "video":
		return shown
	}
	return saved
}
