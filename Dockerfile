# Three images: "server" (xbot ingress, xbot worker), "server-containers" (the same with Docker's client, for a container for each
# user: deploy/compose.containers.yml) and "runner" (xbot-runner with common tools for commands).
#   docker build --target server -t xbot .

FROM node:22-bookworm-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

FROM golang:1.26-bookworm AS programs
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/web/dist web/dist
# The version that the programs print; empty: that of the file VERSION.
ARG VERSION=
# Static binaries: the images below need no libraries for them.
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION:-$(cat VERSION)}" -o /out/ ./cmd/xbot ./cmd/xbot-cli ./cmd/xbot-runner

FROM debian:bookworm-slim AS base
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates curl tzdata \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --uid 10001 --create-home --shell /bin/bash xbot

FROM base AS runner
RUN apt-get update \
	&& apt-get install -y --no-install-recommends bash git jq less procps python3 unzip \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=programs /out/xbot-runner /usr/local/bin/
COPY deploy/runner/keep-running /usr/local/bin/
# New volumes that are mounted here get these owners.
RUN install -d -o xbot -g xbot -m 0700 /var/lib/xbot-runner && install -d -o xbot -g xbot /work
USER xbot
WORKDIR /work
ENV LANG=C.UTF-8
ENTRYPOINT ["keep-running"]
CMD ["--state", "/var/lib/xbot-runner", "--workspace", "/work"]

FROM base AS server
COPY --from=programs /out/xbot /out/xbot-cli /out/xbot-runner /usr/local/bin/
RUN install -d -o xbot -g xbot -m 0700 /var/lib/xbot
USER xbot
WORKDIR /var/lib/xbot
ENV LANG=C.UTF-8 XBOT_HOME=/var/lib/xbot XBOT_HTTP_ADDR=0.0.0.0:8080
EXPOSE 8080
# Ready means that Postgres and Temporal answer. A worker has another address: see docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["xbot"]
CMD ["ingress"]

FROM server AS server-containers
COPY --from=docker:28-cli /usr/local/bin/docker /usr/local/bin/
