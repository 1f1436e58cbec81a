import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../packages/server/src/config/load-config.ts";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { root } from "../src/root.ts";
import { checkers, checkFields, checkSchemas, type Part, parseYaml } from "./deploy/kubernetes-types.ts";
import { NpmProject } from "./support/npm-project.ts";
import { missingFromRegistry } from "./support/registry.ts";

const { after, before, describe, test } = testsNeeding(await missingFromRegistry(...checkers));

const manifests = globSync("deploy/kubernetes/*.yaml", { cwd: root });
const project = new NpmProject();
const read = (file: string) => parseYaml(project, join(root, file));

describe("deploy/kubernetes", () => {
  before(() => project.install([], checkers));

  test("there are manifests for one node and for several", () => {
    assert.deepEqual(manifests.sort(), [
      "deploy/kubernetes/one-node.yaml",
      "deploy/kubernetes/several-nodes.yaml",
    ]);
  });

  for (const file of manifests) {
    test(`${file}: conforms to the schemas of Kubernetes, without unknown fields`, async () => {
      const objects = await read(file);
      assert.ok(objects.length >= 2);
      await checkSchemas(project, objects);
      await checkFields(project, objects);
    });

    test(`${file}: starts a node with known settings, and probes it as the docs say`, async () => {
      const objects = await read(file);
      const { template, selector } = objects.find(({ spec }) => spec?.template)!.spec;
      const [container] = template.spec.containers;
      const variables = Object.fromEntries(
        (container.env as Part[]).map(({ name, value }) => [name, value ?? "postgres://u:p@h/d"]),
      );
      assert.equal(loadConfig(["--strict"], variables).operatorPort, 8081);
      const probed = ["startupProbe", "livenessProbe", "readinessProbe"].map(
        (probe) => container[probe].httpGet.path,
      );
      assert.deepEqual(probed, ["/healthz", "/healthz", "/readyz"]);
      const service = objects.find(({ kind }) => kind === "Service")!;
      assert.deepEqual(service.spec.selector, selector.matchLabels);
      assert.deepEqual(template.metadata.labels, selector.matchLabels);
      assert.deepEqual(
        service.spec.ports.map(({ targetPort }: Part) => targetPort),
        ["http"],
        "operators are not exposed",
      );
      const preStop = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
      assert.ok(template.spec.terminationGracePeriodSeconds > preStop + 15);
    });
  }

  test("the checks notice a missing, a wrong and an unknown field", async () => {
    const [service, deployment] = await read(manifests[0]);
    const noSelector = { ...deployment, spec: { ...deployment.spec, selector: undefined } };
    await assert.rejects(checkSchemas(project, [noSelector]), /selector/);
    await assert.rejects(checkSchemas(project, [{ ...service, spec: { ports: "80" } }]), /ports/);
    await assert.rejects(checkFields(project, [{ ...service, spec: { portz: [] } }]), /portz/);
  });
});

describe("compose.yaml and compose.several.yaml", () => {
  before(() => project.install([], checkers));
  after(() => project.remove());

  for (const [file, nodes] of [
    ["compose.yaml", 1],
    ["compose.several.yaml", 3],
  ] as const)
    test(`${file}: builds ${nodes} nodes with known settings and time to stop`, async () => {
      const [{ services, volumes }] = await read(file);
      const ours = (Object.values(services) as Part[]).filter(({ build }) => build === ".");
      assert.equal(ours.length, nodes);
      for (const { environment, stop_grace_period: grace, user, volumes: mounted = [] } of ours) {
        const variables = Object.fromEntries(
          Object.entries(environment as Record<string, string>).map(([name, value]) => [
            name,
            value.replaceAll(/\$\{\w+:-(.*?)\}/g, "$1").replaceAll(/\$\{\w+:\?.*?\}/g, "secret"),
          ]),
        );
        assert.ok(loadConfig(["--strict"], variables));
        assert.equal(grace, "20s");
        assert.equal(user, undefined, "the one of the image");
        if (variables.DATABASE_URL === undefined) assert.deepEqual(mounted, ["data:/data"]);
      }
      const sources = (Object.values(services) as Part[]).flatMap((each) => each.volumes ?? []);
      for (const source of sources.map((each: string) => each.split(":")[0]))
        assert.ok(source.startsWith("./") ? existsSync(join(root, source)) : source in volumes, source);
      for (const port of ours.flatMap(({ ports = [] }) => ports))
        assert.match(port, /^127\.0\.0\.1:/, "reachable from this machine only");
    });
});
