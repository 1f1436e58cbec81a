import { createHash } from "node:crypto"; import { writeFileSync } from "node:fs";
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const tidied = t => t.toWellFormed().replace(unseen,"").normalize("NFC").replace(/[\p{Cc}\s]+/gu," ").trim();
const folded = n => tidied(n.normalize("NFKC")).normalize("NFKD").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς","σ");
const out={};
for (let c=0;c<0x110000;c++){ if(c>=0xd800&&c<=0xdfff) continue; const s=String.fromCodePoint(c); if(/[\p{L}\p{N}\p{M}]/u.test(s)) out[c]=folded("a"+s); }
writeFileSync(process.argv[2],JSON.stringify(out)); console.log(process.version, process.versions.unicode, Object.keys(out).length);
