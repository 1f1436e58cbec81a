# syntax=docker/dockerfile:1
# The published package on the Node that the tests run on. For both processors:
# docker buildx build --platform linux/amd64,linux/arm64 .

# The package is JavaScript, the same for every processor, so it is built on the builder's own.
FROM --platform=$BUILDPLATFORM node:26.10.0-slim AS build
WORKDIR /source
# Dependencies first: they stay cached until the lock file changes.
COPY package.json package-lock.json .npmrc ./
COPY bench/package.json bench/
COPY e2e/package.json e2e/
COPY packages/client/package.json packages/client/
COPY packages/gate/package.json packages/gate/
COPY packages/kernel/package.json packages/kernel/
COPY packages/protocol/package.json packages/protocol/
COPY packages/react/package.json packages/react/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
COPY scripts/packages/package.json scripts/packages/
COPY sim/package.json sim/
# Install scripts only prepare programs for the tests.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN npm run packages openseat

FROM node:26.10.0-slim
# Without the package's optional dependencies: they are a Node, which the image has. `npm install --global` installs them anyway.
RUN --mount=type=bind,from=build,source=/source/build/tarballs,target=/tarballs \
    --mount=type=cache,target=/root/.npm \
    npm install --prefix /openseat --omit=dev --omit=optional --ignore-scripts /tarballs/openseat-*.tgz && \
    ln -s /openseat/node_modules/.bin/openseat /usr/local/bin/openseat
# Before VOLUME: a new volume copies the owner of this folder.
RUN mkdir -p /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OPENSEAT_DATA=/data
# The server cannot change its own program, which belongs to root.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The server handles this signal itself, also as the first process, and stops within 15 seconds. It starts no other processes.
STOPSIGNAL SIGTERM
CMD ["openseat"]
