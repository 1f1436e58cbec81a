/** Names for people who gave none: short words that are easy to read aloud and insult nobody. */
const manners = [
  "Able Agile Airy Alert Amber Ample Arctic Autumn Azure Balmy Blithe Bold Brave Breezy Bright Brisk",
  "Calm Candid Careful Cheery Chipper Civil Clever Cobalt Copper Coral Cosmic Cosy Crimson Crisp Curious Dapper",
  "Daring Deft Dewy Dreamy Eager Early Earnest Elated Elfin Emerald Fabled Fair Famous Fancy Festive Fleet",
  "Fluent Fond Frank Frosty Gallant Gentle Gifted Glad Gleaming Golden Graceful Grand Happy Hardy Hazel Hearty",
  "Honest Humble Indigo Ivory Jade Jaunty Jolly Jovial Joyful Keen Kind Lilac Lively Loyal Lucid Lucky",
  "Lunar Magic Maple Mellow Merry Mighty Mindful Mint Misty Modest Neat Nimble Noble Northern Opal Patient",
  "Peaceful Pearly Placid Playful Plucky Polite Prime Proud Quick Quiet Radiant Rapid Ready Regal Rosy Royal",
  "Serene Silver Smart Snowy Solar Spry Steady Stellar Sunny Swift Tidy Topaz Trusty Velvet Vivid Wise",
]
  .join(" ")
  .split(" ");

const animals = [
  "Alpaca Antelope Badger Bat Bear Bee Beetle Bison Bobcat Bongo Bunny Camel Canary Caribou Cat Cheetah",
  "Chipmunk Cicada Clam Condor Coyote Crab Crane Cricket Curlew Cygnet Deer Dingo Dolphin Dove Dragonfly Duck",
  "Eagle Egret Eland Elk Emu Ermine Falcon Ferret Finch Firefly Flamingo Fox Frog Gannet Gazelle Gecko",
  "Gibbon Giraffe Goldfish Goose Grouse Gull Hare Hawk Hedgehog Heron Hoopoe Hornbill Horse Hummingbird Ibex Ibis",
  "Iguana Jackal Jaguar Jay Kestrel Kingfisher Kite Kiwi Koala Koi Ladybird Lark Lemming Lemur Leopard Linnet",
  "Lion Lizard Llama Lobster Tern Lynx Macaw Magpie Mallard Manatee Marlin Marmot Marten Meerkat Mole Mongoose",
  "Moose Moth Narwhal Newt Ocelot Octopus Okapi Oriole Osprey Otter Owl Panda Panther Parrot Pelican Penguin",
  "Pheasant Plover Pony Puffin Puma Quail Rabbit Raven Robin Salmon Seal Sparrow Starling Stork Swallow Swan",
]
  .join(" ")
  .split(" ");

/** "Brisk Heron": always the same for the same id, on the server and in every browser. */
export function friendlyName(id: string): string {
  const hash = scatter(id);
  return `${manners[hash % manners.length]} ${animals[(hash >>> 16) % animals.length]}`;
}

/** FNV-1a with an extra mixing step, so that ids that differ in one letter do not get the same animal. */
function scatter(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
