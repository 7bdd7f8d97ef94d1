# The static binary and nothing else.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The flags are those of cmd/dist/compile.
RUN CGO_ENABLED=0 go build -trimpath -tags=grpcnotrace -ldflags="-s -w" -o /canisterd ./cmd/canisterd
# The final image has no shell to make directories with.
RUN mkdir -p /empty/tmp /empty/state

# For icp-cli: docker build --target launcher. It runs as root, since the folder that icp-cli mounts for status.json is the
# user's own.
FROM scratch AS launcher
COPY --from=build /canisterd /canisterd
COPY --from=build --chmod=1777 /empty/tmp /tmp
EXPOSE 4943
ENTRYPOINT ["/canisterd", "network-launcher"]

FROM scratch
COPY --from=build /canisterd /canisterd
COPY --from=build --chown=65532:65532 --chmod=1777 /empty/tmp /tmp
COPY --from=build --chown=65532:65532 --chmod=700 /empty/state /state
USER 65532:65532
EXPOSE 4943
VOLUME /state
ENTRYPOINT ["/canisterd"]
CMD ["start", "--listen", "0.0.0.0:4943", "--state-dir", "/state"]
