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
      nobodyLetIn: "Nobody was let in during the last minute. The line moves again as soon as there is room.",
      paused: "The line is paused. Everyone keeps their place.",
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
        heading: "Your place has expired",
        sentence: "Your connection was lost for too long, so your place went to the next person.",
      },
      claim_timeout: {
        heading: "Your turn has passed",
        sentence: "It was your turn, but you did not enter in time, so the next person was let in.",
      },
      session_timeout: {
        heading: "Your time is up",
        sentence: "Your visit has ended. If you need more time, you can join the line again.",
      },
      cancelled: {
        heading: "You gave up your place",
        sentence: "Everyone behind you has moved up. You can join the line again at any time.",
      },
      left: {
        heading: "You have left the line",
        sentence: "Your place went to the next person. You can join again at any time.",
      },
      terminated: {
        heading: "Your visit was ended",
        sentence: "The site ended it. You can join the line again.",
      },
      room_ended: {
        heading: "This waiting room has closed",
        sentence: "It has closed for everyone. Please start again from the site you came from.",
      },
      completed: {
        heading: "All done",
        sentence: "Your visit is complete. Thank you for waiting.",
      },
      unknown: {
        heading: "No place on this device",
        sentence:
          "You have no place in this line on this device. You can bring one here from another device.",
      },
    },
  },
  wait: {
    position: "Your position",
    estimate: "Estimated wait",
    happening: "Right now",
    kept: "Your place is kept.",
    keptSentence:
      "Keep this page open: it takes you in automatically when it is your turn. You keep your place if you reload, or if you lose the connection for a moment.",
    refreshes: {
      one: "This page refreshes automatically every second.",
      other: "This page refreshes automatically every {n} seconds.",
    },
    refresh: "Refresh now",
    stuck: "Nothing moving?",
    otherDevice: "Continue on another device",
    leave: "Leave the line",
    leaveWarning: "Your place goes to the next person, and you cannot get it back.",
    leaveSure: "Yes, give up my place",
    yourTurn: "It is your turn",
    yourTurnSentence: "We are taking you there now. Thank you for waiting.",
    inside: "You are in",
    insideSentence: "Your visit has begun. There is nothing more to wait for.",
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
    bringSentence: "Do you have a code from another device? Enter it to continue with that place here.",
    replaces:
      "Do you have a code from another device? Enter it to continue with that place here, instead of the one you have now.",
    codeLabel: "Code from the other device",
    bringHere: "Bring it here",
    back: "Back to the line",
    problems: {
      "unknown-code": "That code is not valid. Check it for typos, or get a new one on the other device.",
      "used-code": "That code has already been used. Get a new one on the device that has your place.",
      "too-many-tries": "Too many attempts. Please wait a minute and try again.",
    },
  },
  errors: {
    closed: {
      heading: "This waiting room has closed",
      sentence:
        "It has closed for everyone, so there is no line to join. The site can tell you what to do next.",
      wayOn: "Go to the site",
    },
    "no-such-queue": {
      heading: "Line not found",
      sentence:
        "The address may have a typo, or the line has closed. Please start again from the site you came from.",
      wayOn: "Try again",
    },
    "return-not-allowed": {
      heading: "This link leads elsewhere",
      sentence:
        "It would send you to an address that does not belong to this line, so we stopped here. Please start again from the site you came from.",
      wayOn: "Go to the line",
    },
    busy: {
      heading: "We are very busy right now",
      sentence:
        "We are letting everyone in as fast as we can. This page tries again automatically: please keep it open.",
      wayOn: "Try now",
    },
    "line-full": {
      heading: "The line is full",
      sentence:
        "It accepts more people as soon as some have gone in. This page tries again automatically: please keep it open.",
      wayOn: "Try now",
    },
    "too-fast": {
      heading: "Too many people on your network are joining at once",
      sentence: "Nothing is lost. This page tries again automatically: please keep it open.",
      wayOn: "Try now",
    },
    "guests-off": {
      heading: "Sign in to wait in this line",
      sentence:
        "This line is only for people who have signed in. Please sign in on the site that sent you here, then come back.",
      wayOn: "Try again",
    },
    failed: {
      heading: "Something went wrong",
      sentence: "Nothing has changed. Please go back to the line and try again from there.",
      wayOn: "Back to the line",
    },
  },
};
