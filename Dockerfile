FROM golang:1.26-bookworm AS build
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=${VERSION}" -o /out/sluice ./cmd/sluice \
    && mkdir -p /out/volume/data

FROM scratch
ARG VERSION=devel
LABEL org.opencontainers.image.title="sluice" \
      org.opencontainers.image.description="Upload and download server for large files: HTTP PUT, forms, tus" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /out/sluice /sluice
# The owner is given to what stands below the copied folder, so data arrives as a child of it.
COPY --from=build --chown=65532:65532 /out/volume/ /
ENV SLUICE_ROOT=/data \
    SLUICE_LISTEN=0.0.0.0:8080 \
    SLUICE_ADMIN_LISTEN=0.0.0.0:9180
VOLUME /data
EXPOSE 8080 9180
USER 65532:65532
ENTRYPOINT ["/sluice"]
CMD ["serve"]
