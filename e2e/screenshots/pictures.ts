import type { Page } from "playwright-core";

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly viewport: { readonly width: number; readonly height: number; readonly scale: number };
  readonly schemes: readonly ("light" | "dark")[];
  /** Resolves when the page is ready for the screenshot. */
  prepare(page: Page): Promise<unknown>;
}

const desktop = { width: 1280, height: 800, scale: 1 };
const phone = { width: 390, height: 844, scale: 2 };
const both = ["light", "dark"] as const;

/** The screenshots of the docs. Add one here and run `npm run screenshots`. */
export const pictures: readonly Picture[] = [
  {
    ...{ name: "home", path: "/", viewport: desktop, schemes: both },
    prepare: (page) =>
      page
        .getByRole("link", { name: /connect four/i })
        .first()
        .waitFor(),
  },
  {
    ...{ name: "arena", path: "/arenas/connect-four", viewport: { ...desktop, height: 1000 }, schemes: both },
    // Wait until a few moves have been made.
    prepare: (page) => page.locator(".board .disc").nth(8).waitFor(),
  },
  {
    ...{ name: "ladder", path: "/ladders/club", viewport: desktop, schemes: both },
    prepare: (page) => page.getByText("Cleo").first().waitFor(),
  },
  {
    ...{ name: "game", path: "/games/demo", viewport: phone, schemes: both },
    prepare: (page) => page.getByText("Bob").first().waitFor(),
  },
  {
    ...{ name: "waiting-room", path: "/wait/sale", viewport: phone, schemes: both },
    prepare: (page) => page.locator("[data-live=number]").waitFor(),
  },
  {
    ...{ name: "chat", path: "/chat", viewport: phone, schemes: ["light"] },
    prepare: async (page) => {
      await page.getByRole("textbox").fill("nick Ann");
      await page.getByRole("textbox").press("Enter");
      await page.getByText("Hello, Ann").first().waitFor();
    },
  },
  {
    ...{ name: "api", path: "/docs", viewport: desktop, schemes: ["light"] },
    prepare: (page) => page.getByText("Games").first().waitFor(),
  },
];
