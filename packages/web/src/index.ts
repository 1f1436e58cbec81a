export { type PageAsset, type Pages, readPages } from "./built/pages.ts";
export { type Content, escapeHtml, Html, html } from "./html.ts";
export { addressesOf } from "./wait/addresses.ts";
export {
  type WaitAsset,
  waitAssets,
  waitScriptPath,
  waitSecurityPolicy,
  waitStylePath,
} from "./wait/assets.ts";
export type { Pulse, WaitState } from "./wait/browser/state.ts";
export type { ErrorPageModel, MovePageModel, WaitPageModel } from "./wait/model.ts";
export { errorPage } from "./wait/pages/error-page.ts";
export { movePage } from "./wait/pages/move-page.ts";
export { waitPage } from "./wait/pages/wait-page.ts";
export { type Language, languageOf } from "./wait/texts/languages.ts";
export type { ErrorKind, MoveProblem } from "./wait/texts/texts.ts";
