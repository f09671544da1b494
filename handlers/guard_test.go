package handlers

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"sluice/internal/transfer"
	"sluice/storage"
)

// panicking is a store in which every transfer panics on its way.
type panicking struct{ storage.Store }

func (panicking) Check(storage.Name, storage.Condition) error { return nil }
func (panicking) CheckSpace(int64) error                      { return nil }

func (panicking) Reserve(int64) (storage.Reservation, error) { return nothing{}, nil }

func (panicking) Create(context.Context, storage.UploadSpec) (storage.Upload, error) {
	return panickingUpload{}, nil
}

func (panicking) Resume(context.Context, string) (storage.Resumable, error) {
	return panickingResumable{}, nil
}

func (panicking) Open(context.Context, storage.Name) (storage.Object, error) {
	return panickingObject{}, nil
}

type nothing struct{}

func (nothing) Release() {}

type panickingUpload struct{ storage.Upload }

func (panickingUpload) Receive(context.Context, io.Reader) (int64, error) { panic("in Receive") }
func (panickingUpload) Stages() storage.Stages                            { return storage.Stages{} }
func (panickingUpload) Abort() error                                      { return nil }

type panickingResumable struct{ storage.Resumable }

func (panickingResumable) Info() storage.ResumableInfo {
	return storage.ResumableInfo{ID: "id", ResumableSpec: storage.ResumableSpec{Size: 5}}
}
func (panickingResumable) Append(context.Context, storage.Piece, io.Reader) (int64, error) {
	panic("in Append")
}
func (panickingResumable) Stages() storage.Stages { return storage.Stages{} }

type panickingObject struct{ storage.Object }

func (panickingObject) Info() storage.Info { return storage.Info{Size: 5} }
func (panickingObject) Send(context.Context, io.Writer, int64, int64) (int64, error) {
	panic("in Send")
}
func (panickingObject) Stages() storage.Stages { return storage.Stages{} }
func (panickingObject) Close() error           { return nil }

// A transfer whose handling panics ends as failed, and keeps no place.
func TestPanicEndsTransfer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		protocol     transfer.Protocol
		method, path string
		body         string
		fields       map[string]string
	}{
		{transfer.ProtocolPUT, "PUT", "/files/f", "hello", nil},
		{transfer.ProtocolForm, "POST", "/files/",
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nhello\r\n--b--\r\n",
			map[string]string{"Content-Type": "multipart/form-data; boundary=b"}},
		{transfer.ProtocolTus, "PATCH", "/tus/id", "hello", map[string]string{
			"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream",
		}},
		{transfer.ProtocolGET, "GET", "/files/f", "", nil},
	} {
		t.Run(string(test.protocol), func(t *testing.T) {
			t.Parallel()
			transfers := transfer.New(transfer.Options{})
			h, err := New(Options{
				Store: panicking{}, Transfers: transfers, Log: zap.NewNop(), Context: t.Context(), Limits: Limits{IdleTimeout: time.Minute},
			})
			if err != nil {
				t.Fatal(err)
			}
			app := fiber.New(fiber.Config{ErrorHandler: h.Fail, StreamRequestBody: true, DisablePreParseMultipartForm: true})
			app.Use(asEverybody)
			app.Put("/files/*", h.Put)
			app.Post("/files/*", h.Form)
			app.Get("/files/*", h.Download)
			app.All("/tus/*", h.Tus)
			request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			for name, value := range test.fields {
				request.Header.Set(name, value)
			}
			response, err := app.Test(request)
			if test.method != "GET" && (err != nil || response.StatusCode != fiber.StatusInternalServerError) {
				t.Errorf("answer is %+v, %v, want status 500", response, err)
			}
			recent := transfers.Recent()
			if len(recent) != 1 || recent[0].Result != transfer.ResultFailed || recent[0].Protocol != test.protocol {
				t.Errorf("ended transfers: %+v, want one that failed", recent)
			}
			if running := transfers.Running(); len(running) != 0 || h.crowd.running != 0 {
				t.Errorf("%d transfers and %d places are still taken", len(running), h.crowd.running)
			}
		})
	}
}
