import type { Texts } from "./texts.ts";

export const en: Texts = {
  direction: "ltr",
  live: {
    language: "en",
    documentTitle: {
      waiting: "{n} · {title}",
      yourTurn: "Your turn — {title}",
      gone: "{heading} · {title}",
    },
    next: "You are next",
    ahead: { one: "{n} person is ahead of you", other: "{n} people are ahead of you" },
    behind: { one: "{n} person behind you", other: "{n} people behind you" },
    progress: "{percent}% of the way",
    happening: {
      letIn: {
        one: "{n} person was let in during the last minute.",
        other: "{n} people were let in during the last minute.",
      },
      nobodyLetIn: "Nobody was let in during the last minute. It goes on as soon as there is room.",
      paused: "Letting people in is paused for the moment. Everyone keeps their place.",
      overtaken: "Your position went from {from} to {to}: people with priority were placed ahead of you.",
      away: "You were away for a while, so others may have gone in before you. You have kept your place.",
      slower: "The line is moving more slowly than before, so the estimate went up.",
    },
    estimate: {
      soon: "less than a minute",
      about: "about {amount}",
      range: "about {low} to {high}",
      upTo: "up to {amount}",
      moreThan: "more than {amount}",
      unknown: "not known yet",
      paused: "paused",
      minutes: { one: "{n} minute", other: "{n} minutes" },
      hours: { one: "{n} hour", other: "{n} hours" },
    },
    link: {
      connecting: "Connecting…",
      connected: "Connected",
      reconnecting: "Reconnecting… your place is kept",
    },
    said: {
      position: "Your position is {n}. Estimated wait: {estimate}.",
      next: "You are next.",
      resumed: "People are being let in again.",
      yourTurn: "It is your turn. We are taking you there now.",
      reconnected: "Connected again. Your place was kept.",
    },
    heldUntil: "It is held for you until {time}.",
    gone: {
      heartbeat_timeout: {
        heading: "Your place has lapsed",
        sentence: "This page had not been heard from for a while, so the place went to the next person.",
      },
      claim_timeout: {
        heading: "Your turn has passed",
        sentence: "It was your turn, but it was not taken up in time, so it went to the next person.",
      },
      session_timeout: {
        heading: "Your time is up",
        sentence: "Your visit has ended. If you need more time, you can join the line again.",
      },
      cancelled: {
        heading: "Your place is given up",
        sentence: "Those behind have moved up. You can join the line again whenever you like.",
      },
      left: {
        heading: "You have left the line",
        sentence: "Your place went to the next person. You can join again whenever you like.",
      },
      terminated: {
        heading: "Your visit was ended",
        sentence: "The people who run this line have ended it. You can join the line again.",
      },
      room_ended: {
        heading: "This waiting room has ended",
        sentence: "The people who run it have ended it for everyone. Nobody is let in from here any more.",
      },
      completed: {
        heading: "All done",
        sentence: "Your visit is complete. Thank you for waiting.",
      },
      unknown: {
        heading: "No place on this device",
        sentence:
          "There is no place in this line on this device now. One from another device can be brought here.",
      },
    },
  },
  wait: {
    position: "Your position",
    estimate: "Estimated wait",
    happening: "Right now",
    kept: "Your place is kept.",
    keptSentence:
      "Keep this page open: it takes you there by itself when it is your turn. Reloading, or losing the connection for a moment, costs you nothing.",
    refreshes: {
      one: "This page refreshes by itself every second.",
      other: "This page refreshes by itself every {n} seconds.",
    },
    refresh: "Refresh now",
    stuck: "Nothing moving?",
    otherDevice: "Continue on another device",
    leave: "Leave the line",
    leaveWarning: "Your place would go to the next person, and cannot be given back.",
    leaveSure: "Yes, give up my place",
    yourTurn: "It is your turn",
    yourTurnSentence: "We are taking you there now. Thank you for waiting.",
    inside: "You are in",
    insideSentence: "Your visit has begun, and there is nothing more to wait for.",
    continue: "Continue",
    enterAgain: "Join the line again",
  },
  move: {
    documentTitle: "Another device · {title}",
    heading: "Continue on another device",
    headingWithoutPlace: "Continue on this device",
    send: "Take this place with you",
    openThere: "On the other device, open {address}",
    openThereUnaddressed: "On the other device, open this same page.",
    enterThere: "Enter this code there:",
    code: "Code",
    validUntil: "It works until {time}. Your place is then on both devices.",
    newCode: "Get a new code",
    bring: "Bring a place here",
    bringSentence: "You have a code from another device? Its place goes on here.",
    replaces: "You have a code from another device? Its place goes on here, instead of the one you have now.",
    codeLabel: "Code from the other device",
    bringHere: "Bring it here",
    back: "Back to the line",
    problems: {
      "unknown-code": "That code is not known. It may be mistyped, or too old.",
      "used-code": "That code was used already. Get a new one on the device that has your place.",
      "too-many-tries": "That was too many tries. Please wait a minute before the next one.",
    },
  },
  errors: {
    "no-such-queue": {
      heading: "There is no such line",
      sentence:
        "The address may be mistyped, or the line is over. Please start again from the site you came from.",
      wayOn: "Try again",
    },
    "return-not-allowed": {
      heading: "This link leads elsewhere",
      sentence:
        "It asks to send you on to an address that does not belong to this line, so we have stopped here. Please start again from the site you came from.",
      wayOn: "Go to the line",
    },
    busy: {
      heading: "Very many people are here",
      sentence:
        "We are letting everyone in as fast as we can. This page tries again by itself: please leave it open.",
      wayOn: "Try now",
    },
    "line-full": {
      heading: "The line is full",
      sentence:
        "It takes more people as soon as some have gone in. This page tries again by itself: please leave it open.",
      wayOn: "Try now",
    },
    "too-fast": {
      heading: "Too many people on your network are joining at once",
      sentence: "Nothing is lost. This page tries again by itself: please leave it open.",
      wayOn: "Try now",
    },
    "guests-off": {
      heading: "Sign in to wait in this line",
      sentence:
        "This line takes only people who have signed in. Please sign in on the site that sent you here, and come back from there.",
      wayOn: "Try again",
    },
    failed: {
      heading: "That did not work",
      sentence: "Nothing has changed. Please go back to the line and try again from there.",
      wayOn: "Back to the line",
    },
  },
};
