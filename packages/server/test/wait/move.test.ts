import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { TicketNumber } from "@openseat/kernel";
import { MoveCodes } from "../../src/app/queues/move-codes.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { type Answer, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { issuerFlags } from "../support/tokens.ts";

const codeIn = ({ text }: Answer) => /<p class="code">([^<]+)</.exec(text)?.[1];

suite("moving a place to another device", () => {
  let server: TestServer;
  let desk: Desk;
  const open: Browser[] = [];
  let addresses = 0;
  /** So that nobody gets further tries, however long a test takes. */
  const clock = stillClock();

  before(async () => {
    server = await startServer([...issuerFlags, "--trust-proxy"], undefined, { clock });
    desk = new Desk(server);
  });
  after(async () => {
    for (const browser of open) browser.close();
    await server.stop();
  });

  /** Each at its own address, because tries are counted by address. */
  function browser(address = `203.0.113.${++addresses}`): Browser {
    const made = new Browser(server.url, { "x-forwarded-for": address });
    open.push(made);
    return made;
  }

  test("[LS5] with the code, the other device gets the same place, and the first one keeps it", async () => {
    const { queue } = await desk.fullQueue({ id: "shop", returnAddresses: ["/shop"] });
    const [laptop, other, phone] = [browser(), browser(), browser()];
    await laptop.get(`/wait/${queue}`);
    await other.get(`/wait/${queue}`);
    const code = codeIn(await laptop.get(`/wait/${queue}/move?return=/shop/x`))!;
    assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    const empty = await phone.get(`/wait/${queue}/move`);
    assert.deepEqual([empty.status, codeIn(empty)], [200, undefined]);
    assert.equal((await desk.stats(queue)).waiting, 2, "opening the page takes no place");
    const moved = await phone.post(`/wait/${queue}/move?return=/shop/x`, {
      form: { code: ` ${code.toLowerCase().replace("-", " ")}` },
    });
    assert.deepEqual([moved.status, moved.headers.location], [303, `/wait/${queue}?return=%2Fshop%2Fx`]);
    assert.match(phone.cookie("openseat_guest")!.terms, /HttpOnly; SameSite=Lax$/);
    for (const it of [phone, laptop]) assert.equal(stateIn(await it.get(`/wait/${queue}`)).position, 1);
    assert.equal((await desk.stats(queue)).waiting, 2);
  });

  test("[LS6] a code works once, also if several devices use it at once; the next code differs", async () => {
    const { queue } = await desk.fullQueue({ id: "once" });
    const laptop = browser();
    await laptop.get(`/wait/${queue}`);
    const code = codeIn(await laptop.get(`/wait/${queue}/move`))!;
    const bring = (typed: string, device = browser()) =>
      device.post(`/wait/${queue}/move`, { form: { code: typed } });
    const answers = await Promise.all(range(5).map(() => bring(code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400, 400, 400]);
    const late = await bring(code);
    assert.equal(late.status, 400);
    assert.match(late.text, /That code has already been used\./);
    assert.equal(late.headers["set-cookie"], undefined);
    const next = codeIn(await laptop.get(`/wait/${queue}/move`))!;
    assert.notEqual(next, code);
    assert.equal((await bring(next)).status, 303);
    assert.match((await bring(code)).text, /That code has already been used\./);
    assert.equal((await desk.stats(queue)).waiting, 1);
  });

  test("[LS5] a person with an active session moves the visit", async () => {
    const queue = await desk.newQueue({ id: "inside", returnAddresses: ["/shop"] });
    const [laptop, phone] = [browser(), browser()];
    await laptop.visit(`/wait/${queue}`);
    // The page of the code does not redirect, so that an admitted person can get a code, too.
    const { text } = await laptop.get(`/wait/${queue}/move`);
    assert.match(text, /href="\/wait\/inside\/go"/);
    const code = codeIn({ text } as Answer)!;
    const moved = await phone.post(`/wait/${queue}/move`, { form: { code } });
    assert.equal((await phone.visit(moved.headers.location!)).way.at(-1), "/shop");
    assert.equal((await phone.get(`/gate/${queue}`)).status, 204);
    assert.equal(
      phone.cookie(`openseat_session_${queue}`)!.value,
      laptop.cookie(`openseat_session_${queue}`)!.value,
    );
    assert.equal((await desk.stats(queue)).active, 1);
  });

  test("codes that are wrong, for another line, or for a place that is over change nothing", async () => {
    const { queue } = await desk.fullQueue({ id: "one" });
    const { queue: second } = await desk.fullQueue({ id: "two" });
    const [ann, bob] = [browser(), browser()];
    await ann.get(`/wait/${queue}`);
    await bob.get(`/wait/${second}`);
    const code = codeIn(await ann.get(`/wait/${queue}/move`))!;
    const before = bob.cookiesFor(`/wait/${second}`);
    const entries = await desk.entries();
    const wrong = async (line: string, form: Record<string, string>) => {
      const answer = await bob.post(`/wait/${line}/move`, { form });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /class="problem" id="problem" role="alert"/);
      assert.equal(answer.headers["set-cookie"], undefined);
    };
    await wrong(second, { code });
    await wrong(queue, { code: code.replace(/.$/, (last) => (last === "0" ? "1" : "0")) });
    await wrong(queue, { code: "" });
    await wrong(queue, {});
    await wrong(queue, { code: "<script>alert(1)</script>" });
    assert.equal(bob.cookiesFor(`/wait/${second}`), before);
    assert.equal(await desk.entries(), entries);
    await ann.post(`/wait/${queue}/leave`);
    await wrong(queue, { code });
  });

  test("a code cannot move the place of a person from the site's own issuer, not even a valid code", async () => {
    const { queue } = await desk.fullQueue({ id: "issuer" });
    await desk.entered(queue, "ann");
    await browser().get(`/wait/${queue}`);
    const { guestSecret } = server;
    const bring = (ticket: number) => {
      const { code } = new MoveCodes(guestSecret).codeFor(queue, ticket as TicketNumber, 0, clock.now());
      return browser().post(`/wait/${queue}/move`, { form: { code } });
    };
    assert.equal((await bring(1)).status, 400, "the insider's");
    assert.equal((await bring(2)).status, 400, "ann's");
    assert.equal((await bring(3)).status, 303, "the guest's");
    assert.equal((await bring(4)).status, 400, "nobody's");
  });

  test("tries are limited by address, with a friendly page; other addresses are unaffected", async () => {
    const { queue } = await desk.fullQueue({ id: "tries" });
    const ann = browser();
    await ann.get(`/wait/${queue}`);
    const code = codeIn(await ann.get(`/wait/${queue}/move`))!;
    const eve = browser("198.51.100.9");
    for (const _ of range(10))
      assert.equal((await eve.post(`/wait/${queue}/move`, { form: { code: "0000-0000" } })).status, 400);
    const stopped = await browser("198.51.100.9").post(`/wait/${queue}/move`, { form: { code } });
    assert.deepEqual([stopped.status, stopped.headers["retry-after"]], [429, "6"]);
    assert.match(stopped.text, /Too many attempts/);
    assert.equal((await browser().post(`/wait/${queue}/move`, { form: { code } })).status, 303);
  });

  test("[LM3] a code that works costs its address a write, so a place cannot be moved endlessly", async () => {
    const flags = [...issuerFlags, "--trust-proxy", "--writes-per-address-max", "3"];
    const limited = await startServer(flags, undefined, { clock });
    const own = new Desk(limited);
    const { queue } = await own.fullQueue({ id: "endless" });
    const ann = new Browser(limited.url, { "x-forwarded-for": "198.51.100.20" });
    open.push(ann);
    await ann.get(`/wait/${queue}`);
    const bring = async () => {
      const code = codeIn(await ann.get(`/wait/${queue}/move`))!;
      return ann.post(`/wait/${queue}/move`, { form: { code } });
    };
    for (const _ of range(3)) assert.equal((await bring()).status, 303);
    const entries = await own.entries();
    const stopped = await bring();
    assert.equal(stopped.status, 429);
    assert.match(stopped.headers["content-type"]!, /^text\/html/);
    assert.equal(await own.entries(), entries);
    await limited.stop();
  });

  test("the page shows the address to open on the other device", async () => {
    const { queue } = await desk.fullQueue({ id: "where" });
    const ann = browser();
    const headers = { "x-forwarded-proto": "https", host: "wait.example" };
    await ann.get(`/wait/${queue}`, { headers });
    const { text } = await ann.get(`/wait/${queue}/move`, { headers });
    assert.ok(text.replaceAll("<wbr>", "").includes("https://wait.example/wait/where/move"));
    const odd = await ann.get(`/wait/${queue}/move`, { headers: { host: '"><script>' } });
    assert.ok(!odd.text.includes('"><script>'));
  });
});
