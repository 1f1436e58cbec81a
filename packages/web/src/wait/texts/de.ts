import type { Texts } from "./texts.ts";

export const de: Texts = {
  direction: "ltr",
  live: {
    language: "de",
    documentTitle: {
      waiting: "{n} · {title}",
      yourTurn: "Sie sind dran — {title}",
      gone: "{heading} · {title}",
    },
    next: "Sie sind als Nächstes dran",
    ahead: { one: "{n} Person ist vor Ihnen", other: "{n} Personen sind vor Ihnen" },
    behind: { one: "{n} Person hinter Ihnen", other: "{n} Personen hinter Ihnen" },
    progress: "{percent}\u00a0% des Weges",
    happening: {
      letIn: {
        one: "{n} Person wurde in der letzten Minute eingelassen.",
        other: "{n} Personen wurden in der letzten Minute eingelassen.",
      },
      nobodyLetIn:
        "In der letzten Minute wurde niemand eingelassen. Es geht weiter, sobald wieder Platz ist.",
      paused: "Die Warteschlange pausiert. Alle behalten ihren Platz.",
      overtaken: "Ihre Position ging von {from} auf {to}: Personen mit Vorrang kamen vor Ihnen hinzu.",
      away: "Sie waren eine Weile weg, darum wurden vielleicht andere vor Ihnen eingelassen. Ihren Platz haben Sie behalten.",
      slower: "Es geht langsamer voran als vorher, deshalb ist die Schätzung gestiegen.",
    },
    estimate: {
      soon: "weniger als eine Minute",
      about: "etwa {amount}",
      range: "etwa {low} bis {high}",
      upTo: "bis zu {amount}",
      moreThan: "mehr als {amount}",
      unknown: "noch nicht bekannt",
      paused: "Pause",
      minutes: { one: "{n} Minute", other: "{n} Minuten" },
      hours: { one: "{n} Stunde", other: "{n} Stunden" },
    },
    link: {
      connecting: "Verbindung wird aufgebaut …",
      connected: "Verbunden",
      reconnecting: "Verbinde neu … Ihr Platz ist sicher",
    },
    said: {
      position: "Ihre Position ist {n}. Voraussichtliche Wartezeit: {estimate}.",
      next: "Sie sind als Nächstes dran.",
      resumed: "Es werden wieder Personen eingelassen.",
      yourTurn: "Sie sind an der Reihe. Es geht gleich weiter.",
      reconnected: "Wieder verbunden. Ihr Platz ist erhalten geblieben.",
    },
    heldUntil: "Der Einlass gilt für Sie bis {time} Uhr.",
    gone: {
      heartbeat_timeout: {
        heading: "Ihr Platz ist verfallen",
        sentence: "Ihre Verbindung war zu lange unterbrochen, deshalb ging Ihr Platz an die nächste Person.",
      },
      claim_timeout: {
        heading: "Sie waren an der Reihe",
        sentence: "Sie sind nicht rechtzeitig eingetreten, deshalb wurde die nächste Person eingelassen.",
      },
      session_timeout: {
        heading: "Ihre Zeit ist um",
        sentence: "Ihr Besuch ist beendet. Wenn Sie mehr Zeit brauchen, können Sie sich erneut anstellen.",
      },
      cancelled: {
        heading: "Sie haben Ihren Platz aufgegeben",
        sentence: "Alle hinter Ihnen sind aufgerückt. Sie können sich jederzeit erneut anstellen.",
      },
      left: {
        heading: "Sie haben die Warteschlange verlassen",
        sentence: "Ihr Platz ging an die nächste Person. Sie können sich jederzeit erneut anstellen.",
      },
      terminated: {
        heading: "Ihr Besuch wurde beendet",
        sentence: "Die Website hat ihn beendet. Sie können sich erneut anstellen.",
      },
      room_ended: {
        heading: "Dieser Warteraum ist geschlossen",
        sentence:
          "Er wurde für alle geschlossen. Bitte beginnen Sie noch einmal auf der Seite, von der Sie kamen.",
      },
      completed: {
        heading: "Alles erledigt",
        sentence: "Ihr Besuch ist abgeschlossen. Danke für Ihre Geduld.",
      },
      unknown: {
        heading: "Kein Platz auf diesem Gerät",
        sentence:
          "Sie haben auf diesem Gerät keinen Platz in dieser Warteschlange. Sie können einen von einem anderen Gerät hierher holen.",
      },
    },
  },
  wait: {
    position: "Ihre Position",
    estimate: "Voraussichtliche Wartezeit",
    happening: "Gerade jetzt",
    kept: "Ihr Platz ist sicher.",
    keptSentence:
      "Lassen Sie diese Seite offen: Sie leitet Sie automatisch weiter, wenn Sie an der Reihe sind. Sie behalten Ihren Platz, auch wenn Sie neu laden oder die Verbindung kurz abbricht.",
    refreshes: {
      one: "Diese Seite lädt sich jede Sekunde automatisch neu.",
      other: "Diese Seite lädt sich alle {n} Sekunden automatisch neu.",
    },
    refresh: "Jetzt neu laden",
    stuck: "Nichts bewegt sich?",
    otherDevice: "Auf einem anderen Gerät weiter",
    leave: "Warteschlange verlassen",
    leaveWarning: "Ihr Platz geht an die nächste Person. Sie bekommen ihn nicht zurück.",
    leaveSure: "Ja, meinen Platz aufgeben",
    yourTurn: "Sie sind an der Reihe",
    yourTurnSentence: "Es geht gleich weiter. Danke für Ihre Geduld.",
    inside: "Sie sind drin",
    insideSentence: "Ihr Besuch hat begonnen. Sie müssen nicht mehr warten.",
    continue: "Weiter",
    enterAgain: "Erneut anstellen",
  },
  move: {
    documentTitle: "Anderes Gerät · {title}",
    heading: "Auf einem anderen Gerät weiter",
    headingWithoutPlace: "Auf diesem Gerät weiter",
    send: "Diesen Platz mitnehmen",
    openThere: "Öffnen Sie auf dem anderen Gerät {address}",
    openThereUnaddressed: "Öffnen Sie auf dem anderen Gerät diese Seite.",
    enterThere: "Geben Sie dort diesen Code ein:",
    code: "Code",
    validUntil: "Er gilt bis {time} Uhr. Ihr Platz ist dann auf beiden Geräten.",
    newCode: "Neuen Code holen",
    bring: "Einen Platz hierher holen",
    bringSentence:
      "Haben Sie einen Code von einem anderen Gerät? Geben Sie ihn ein, um hier mit dessen Platz weiterzumachen.",
    replaces:
      "Haben Sie einen Code von einem anderen Gerät? Geben Sie ihn ein, um hier mit dessen Platz weiterzumachen, anstelle des jetzigen.",
    codeLabel: "Code vom anderen Gerät",
    bringHere: "Hierher holen",
    back: "Zurück zur Warteschlange",
    problems: {
      "unknown-code":
        "Dieser Code ist ungültig. Prüfen Sie ihn auf Tippfehler oder holen Sie auf dem anderen Gerät einen neuen.",
      "used-code":
        "Dieser Code wurde schon benutzt. Auf dem Gerät, das Ihren Platz hat, gibt es einen neuen.",
      "too-many-tries":
        "Zu viele Versuche. Bitte warten Sie eine Minute und versuchen Sie es dann noch einmal.",
    },
  },
  errors: {
    closed: {
      heading: "Dieser Warteraum ist geschlossen",
      sentence:
        "Er wurde für alle geschlossen, deshalb können Sie sich nicht mehr anstellen. Wie es weitergeht, erfahren Sie auf der Seite des Anbieters.",
      wayOn: "Zur Seite des Anbieters",
    },
    "no-such-queue": {
      heading: "Diese Warteschlange gibt es nicht",
      sentence:
        "Vielleicht enthält die Adresse einen Tippfehler, oder die Warteschlange wurde geschlossen. Bitte beginnen Sie noch einmal auf der Seite, von der Sie kamen.",
      wayOn: "Noch einmal versuchen",
    },
    "return-not-allowed": {
      heading: "Dieser Link führt woanders hin",
      sentence:
        "Er würde Sie zu einer Adresse schicken, die nicht zu dieser Warteschlange gehört. Deshalb haben wir hier angehalten. Bitte beginnen Sie noch einmal auf der Seite, von der Sie kamen.",
      wayOn: "Zur Warteschlange",
    },
    busy: {
      heading: "Großer Andrang",
      sentence:
        "Wir lassen alle so schnell herein, wie es geht. Diese Seite versucht es automatisch wieder: Bitte lassen Sie sie offen.",
      wayOn: "Jetzt versuchen",
    },
    "line-full": {
      heading: "Die Warteschlange ist voll",
      sentence:
        "Sobald einige eingelassen wurden, ist wieder Platz. Diese Seite versucht es automatisch wieder: Bitte lassen Sie sie offen.",
      wayOn: "Jetzt versuchen",
    },
    "too-fast": {
      heading: "Gerade kommen sehr viele Besucher aus Ihrem Netz",
      sentence:
        "Nichts ist verloren. Diese Seite versucht es automatisch wieder: Bitte lassen Sie sie offen.",
      wayOn: "Jetzt versuchen",
    },
    "guests-off": {
      heading: "Bitte melden Sie sich an",
      sentence:
        "Diese Warteschlange ist nur für angemeldete Personen. Bitte melden Sie sich auf der Seite an, von der Sie kamen, und kommen Sie dann zurück.",
      wayOn: "Noch einmal versuchen",
    },
    failed: {
      heading: "Das hat nicht geklappt",
      sentence:
        "Es hat sich nichts geändert. Bitte gehen Sie zurück zur Warteschlange und versuchen Sie es dort noch einmal.",
      wayOn: "Zurück zur Warteschlange",
    },
  },
};
