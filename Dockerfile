# One image for every node, built with the same commands as without containers.
FROM node:24-slim
WORKDIR /openseat
COPY . .
RUN npm ci && npm run build && mkdir data && chown node data
USER node
ENV HOST=0.0.0.0
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/server/src/main.ts"]
