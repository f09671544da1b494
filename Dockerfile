FROM node:20.20.2-bookworm AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY web .
RUN npm run build

FROM golang:1.26.8-bookworm AS build
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/web/dist web/dist
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-X main.version=${VERSION}" -o /out/sluice ./cmd/sluice \
    && mkdir -p /out/volume/data

FROM scratch
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sluice" \
      org.opencontainers.image.description="Upload and download server for large files: HTTP PUT, forms, tus" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# For webhooks, traces and certificates: whom to believe.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/sluice /sluice
# The owner is given to what stands below the copied folder, so data arrives as a child of it.
COPY --from=build --chown=65532:65532 /out/volume/ /
ENV SLUICE_ROOT=/data \
    SLUICE_LISTEN=0.0.0.0:8080 \
    SLUICE_ADMIN_LISTEN=0.0.0.0:9180
# All that it writes to: the rest may be read-only.
VOLUME /data
EXPOSE 8080 9180
USER 65532:65532
# Longer than --shutdown-grace is up to whoever runs it: docker run --stop-timeout 60.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --retries=6 CMD ["/sluice", "health"]
ENTRYPOINT ["/sluice"]
CMD ["serve"]
