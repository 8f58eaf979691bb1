import type { Catalog } from './messages.ts';

export default {
  'Switch to live mode': 'In den Live-Modus wechseln',
  'Switch to test mode': 'In den Testmodus wechseln',
  'Switch to light theme': 'Zur hellen Darstellung wechseln',
  'Switch to dark theme': 'Zur dunklen Darstellung wechseln',
  'Search payments for “{text}”': 'Zahlungen nach „{text}“ durchsuchen',
  Search: 'Suchen',
  'Search orders, emails, IDs, addresses or pages…': 'IDs, Bestellnummern, E-Mails, Transaktionen, Adressen, Seiten',
  Results: 'Ergebnisse',
  'No results': 'Nichts gefunden',
  'Skip to content': 'Zum Inhalt springen',
  Menu: 'Menü',
  Main: 'Hauptmenü',
  Documentation: 'Dokumentation',
  Mode: 'Modus',
  Access: 'Zugriff',
  Everything: 'Alles',
  'Also sign with Ed25519 (v1a)': 'Zusätzlich mit Ed25519 signieren (v1a)',
  'Public keys (JWKS)': 'Öffentliche Schlüssel (JWKS)',
  'Test mode: no real money': 'Testmodus: kein echtes Geld',
  Test: 'Test',
  Live: 'Live',
  Home: 'Start',
  Period: 'Zeitraum',
  'Latest payments': 'Neueste Zahlungen',
  'All payments': 'Alle Zahlungen',
  'No payments yet': 'Noch keine Zahlungen',
  'Open a payment link and simulate a payment. It takes ten seconds.':
    'Öffnen Sie einen Zahlungslink und simulieren Sie eine Zahlung. Das dauert zehn Sekunden.',
  'Payments appear here as soon as a customer starts paying.':
    'Sie erscheinen hier, sobald ein Kunde zu zahlen beginnt.',
  Volume: 'Umsatz',
  'before refunds': 'vor Erstattungen',
  Currency: 'Währung',
  Paid: 'Bezahlt',
  Completed: 'Abschlussquote',
  'of started checkouts': 'der begonnenen Bezahlvorgänge',
  Direct: 'Direkt',
  'no fee': 'ohne Gebühr',
  Fees: 'Gebühren',
  '1.5% of routed payments': '1,5 % der umgewandelten',
  'Create a key': 'Schlüssel erstellen',
  'API keys': 'API-Schlüssel',
  'Secret keys authenticate your server. They can’t move funds. Keep them private.':
    'Geheime Schlüssel authentifizieren Ihren Server. Sie können kein Geld bewegen. Halten Sie sie geheim.',
  'No live key yet': 'Noch kein Live-Schlüssel',
  'No test key yet': 'Noch kein Testschlüssel',
  Name: 'Name',
  Key: 'Schlüssel',
  'Last used': 'Zuletzt benutzt',
  Created: 'Erstellt',
  Actions: 'Aktionen',
  'No name': 'Ohne Namen',
  Never: 'Nie',
  Rotate: 'Erneuern',
  Delete: 'Löschen',
  'Your secret key': 'Ihr geheimer Schlüssel',
  'Rotate this key?': 'Diesen Schlüssel erneuern?',
  'Rotate now': 'Jetzt erneuern',
  'Old secret': 'Alter Schlüssel',
  'Stops immediately': 'Gilt sofort nicht mehr',
  'Works for one more hour': 'Gilt noch eine Stunde',
  'Works for one more day': 'Gilt noch einen Tag',
  'Works for one more week': 'Gilt noch eine Woche',
  'The old secret works until {time}.': 'Der alte Schlüssel gilt bis {time}.',
  'While both secrets work, you can switch your servers one by one. Choose an immediate stop if the old one has leaked.':
    'Solange beide gelten, können Sie Ihre Server nacheinander umstellen. Wurde der alte bekannt, lassen Sie ' +
    'ihn sofort enden.',
  'Previous month': 'Voriger Monat',
  'Next month': 'Nächster Monat',
  'Choose the first day. Days are in UTC.': 'Wählen Sie den ersten Tag. Tage sind in UTC.',
  'Choose the last day.': 'Wählen Sie den letzten Tag.',
  'Delete this key?': 'Diesen Schlüssel löschen?',
  'Requests using this key will fail immediately. This can’t be undone.':
    'Anfragen mit diesem Schlüssel schlagen sofort fehl. Das lässt sich nicht rückgängig machen.',
  'Name (optional)': 'Name (optional)',
  'Web shop': 'Webshop',
  'Test: no real money': 'Test: kein echtes Geld',
  Cancel: 'Abbrechen',
  Create: 'Erstellen',
  'Create a link': 'Link erstellen',
  'Payment links': 'Zahlungslinks',
  'Share one URL with many customers. Each customer gets their own checkout.':
    'Eine URL für viele Kunden. Jeder Kunde bekommt einen eigenen Bezahlvorgang.',
  'No payment links yet': 'Noch keine Zahlungslinks',
  'Get paid without code. Add a description and an amount, then share the link.':
    'Verkaufen ohne eine Zeile Code: eine Beschreibung, ein Betrag und ein Link zum Verschicken.',
  Description: 'Beschreibung',
  Amount: 'Betrag',
  'Paid out in': 'Auszahlung in',
  Status: 'Status',
  Active: 'Aktiv',
  Disabled: 'Deaktiviert',
  Share: 'Teilen',
  Duplicate: 'Duplizieren',
  Disable: 'Deaktivieren',
  Enable: 'Aktivieren',
  'Pay {amount}': '{amount} zahlen',
  'Share this link': 'Diesen Link teilen',
  'QR code of the payment link': 'QR-Code des Zahlungslinks',
  Open: 'Öffnen',
  'For a web page': 'Für eine Webseite',
  'Page not found': 'Diese Seite gibt es nicht',
  'Back to the dashboard': 'Zurück zum Dashboard',
  'Payment not found in this mode': 'In diesem Modus gibt es diese Zahlung nicht',
  'Look in live mode': 'Im Live-Modus nachsehen',
  'Look in test mode': 'Im Testmodus nachsehen',
  Payments: 'Zahlungen',
  Payment: 'Zahlung',
  'View as customer': 'Als Kunde ansehen',
  'Accept payment': 'Zahlung annehmen',
  Refund: 'Erstattung',
  Timeline: 'Verlauf',
  Details: 'Details',
  'Paid with': 'Bezahlt mit',
  Route: 'Weg',
  Routed: 'Umgewandelt',
  'Payout address': 'Auszahlungsadresse',
  Order: 'Bestellung',
  Session: 'Bezahlvorgang',
  'Payment link': 'Zahlungslink',
  Transaction: 'Transaktion',
  'Sent to': 'Gesendet an',
  Reason: 'Grund',
  Recorded: 'Erfasst',
  Metadata: 'Metadaten',
  'Accept this payment?': 'Diese Zahlung annehmen?',
  Accept: 'Annehmen',
  Amounts: 'Beträge',
  'Order amount': 'Bestellbetrag',
  'Service fee': 'Servicegebühr',
  Net: 'Netto',
  Expected: 'Erwartet',
  Received: 'Angekommen',
  Explorer: 'Explorer',
  Columns: 'Spalten',
  'Export CSV': 'Als CSV exportieren',
  Bookkeeping: 'Buchhaltung',
  'What reached your wallets, and refunds and payouts that left them: a line each, with its value, for your accountant.':
    'Was in Ihren Wallets ankam und sie als Erstattung oder Auszahlung verließ: je eine Zeile mit Wert, für die Buchhaltung.',
  'Clear the search to export.': 'Zum Exportieren die Suche zurücksetzen.',
  Views: 'Ansichten',
  'Search payments': 'Zahlungen suchen',
  'To handle': 'Zu erledigen',
  Filters: 'Filter',
  'Filters ({count})': 'Filter ({count})',
  'Any status': 'Jeder Status',
  'Any route': 'Jeder Weg',
  From: 'Von',
  'No payments match these filters': 'Keine Zahlung passt zu diesen Filtern',
  'Clear filters': 'Filter zurücksetzen',
  'No results for “{text}”': 'Nichts gefunden für „{text}“',
  'Clear search': 'Suche zurücksetzen',
  'Matching payments': 'Gefundene Zahlungen',
  'Request log': 'Anfrageprotokoll',
  'API requests from the last 7 days. Request bodies aren’t stored.':
    'API-Anfragen der letzten 7 Tage. Inhalte werden nicht gespeichert.',
  'Show all': 'Alle zeigen',
  'Show errors only': 'Nur Fehler zeigen',
  Refresh: 'Aktualisieren',
  'No errors': 'Keine Fehler',
  'No requests yet': 'Noch keine Anfragen',
  'Requests with a secret key of this mode appear here within two seconds.':
    'Anfragen mit einem geheimen Schlüssel dieses Modus erscheinen hier innerhalb von zwei Sekunden.',
  Requests: 'Anfragen',
  Request: 'Anfrage',
  Duration: 'Dauer',
  'Request ID': 'Anfrage-ID',

  Login: 'Anmeldung',
  'Copy as curl': 'Als curl kopieren',
  Settings: 'Einstellungen',
  'What customers see': 'Was Kunden sehen',
  'Logo (https URL)': 'Logo (https-URL)',
  'Accent color': 'Akzentfarbe',
  'Background color': 'Hintergrundfarbe',
  'Support email': 'Support-E-Mail',
  'Support page': 'Hilfeseite',
  'Allowed embed origins': 'Zum Einbetten zugelassene Ursprünge',
  'One origin per line, such as https://shop.example.com.': 'Ein Ursprung je Zeile, etwa https://shop.example.com.',
  Save: 'Speichern',
  Saved: 'Gespeichert',
  'Pick: {label}': 'Auswählen: {label}',

  'Your shop': 'Ihr Shop',
  Pay: 'Bezahlen',
  'Payment rules': 'Zahlungsregeln',
  'Underpayment tolerance (%)': 'Toleranz bei Unterzahlung (%)',
  'Default: 0.5%, capped at 1.00 in the order currency.':
    'Standard: 0,5 %, höchstens 1,00 in der Währung der Bestellung.',
  'Only allow payout wallets to be added from the dashboard': 'Auszahlungs-Wallets nur im Dashboard hinzufügen lassen',
  'Prevents a leaked API key from redirecting funds.':
    'Verhindert, dass ein entwendeter API-Schlüssel Zahlungen umleitet.',
  'Paymaster (https URL)': 'Paymaster (https-URL)',
  'Pays the network fee of customers whose wallets batch calls (ERC-7677).':
    'Zahlt die Netzwerkgebühr für Kunden, deren Wallets Aufrufe bündeln (ERC-7677).',
  '{host} pays the network fee of customers whose wallets batch calls. Enter a URL to replace it.':
    '{host} zahlt die Netzwerkgebühr für Kunden, deren Wallets Aufrufe bündeln. Geben Sie eine URL ein, um ' +
    'ihn zu ersetzen.',
  'Remove the paymaster': 'Paymaster entfernen',
  'Display preferences': 'Anzeige',
  Theme: 'Darstellung',
  System: 'Wie das System',
  Light: 'Hell',
  Dark: 'Dunkel',
  'Checkout theme': 'Design der Bezahlseite',
  'Match visitor’s device': 'Wie auf dem Gerät des Besuchers',
  Corners: 'Ecken',
  Round: 'Rund',
  Soft: 'Weich',
  Square: 'Eckig',
  Language: 'Sprache',
  Account: 'Konto',

  'You sign in with a wallet, so payouts go only to that wallet.':
    'Sie melden sich mit einer Wallet an, daher gehen Zahlungen nur an diese Wallet.',
  'Sign out': 'Abmelden',
  'Sign out everywhere': 'Überall abmelden',
  'Sign in': 'Anmelden',
  'This sign-in link has expired or was already used. Sign in below, or restart the server for a new link.':
    'Dieser Link ist abgelaufen oder wurde schon benutzt. Melden Sie sich unten an oder starten Sie den Server für einen neuen Link neu.',
  or: 'oder',
  'New here? Signing in creates your account. We never hold your funds or private keys.':
    'Neu hier? Die Anmeldung legt Ihr Konto an. Wir verwahren nie Ihr Geld oder Ihre privaten Schlüssel.',
  'You were invited. Sign in to open your account.':
    'Sie wurden eingeladen. Melden Sie sich an, um Ihr Konto zu eröffnen.',
  'New accounts need an invitation. Ask the operator of this server for a link.':
    'Neue Konten brauchen eine Einladung. Bitten Sie den Betreiber dieses Servers um einen Link.',
  'Sign in to open the first account. It manages this server.':
    'Melden Sie sich an, um das erste Konto zu eröffnen. Es verwaltet diesen Server.',
  'This server has no account yet. Open the setup link that it prints in its log at start.':
    'Dieser Server hat noch kein Konto. Öffnen Sie den Einrichtungslink, den er beim Start in sein Protokoll schreibt.',
  'This server does not accept new accounts. Sign in to an existing one.':
    'Dieser Server nimmt keine neuen Konten an. Melden Sie sich bei einem bestehenden an.',
  'Sign in as {email}': 'Als {email} anmelden',
  Email: 'E-Mail',
  Code: 'Code',
  'Enter the 6-character code from the email subject. It expires in 10 minutes.':
    'Sechs Zeichen, das letzte Wort im Betreff der E-Mail. Sie gelten zehn Minuten.',
  'Send a new code in {seconds} s': 'Neuen Code in {seconds} s senden',
  'Send a new code': 'Neuen Code senden',
  'Send a code': 'Code senden',
  'Use a different email': 'Andere Adresse verwenden',
  'Running locally? Your code is in the': 'In der Entwicklung liegt die E-Mail im',
  'mail inbox': 'Postfach',
  'No wallet found in this browser. Install an Ethereum or Solana wallet to sign in with a signature.':
    'In diesem Browser wurde keine Wallet gefunden. Installieren Sie eine Ethereum- oder Solana-Wallet, um sich durch eine Signatur anzumelden.',
  'Unattributed transfers': 'Nicht zugeordnete Überweisungen',
  'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.':
    'Überweisungen auf Ihre Auszahlungs-Wallets, die zu keiner Zahlung gehören. Ordnen Sie sie einer Zahlung ' +
    'zu oder markieren Sie sie als erledigt.',
  'All caught up': 'Nichts zu erledigen',
  Transfers: 'Überweisungen',

  'All transfers to your payout wallets.': 'Alle Überweisungen auf Ihre Auszahlungs-Wallets.',
  'No transfer is open. “All” lists those that belong to a payment or were marked as handled.':
    'Keine Überweisung ist offen. „Alle“ zeigt auch die, die zu einer Zahlung gehören oder als erledigt markiert sind.',
  'Belongs to': 'Gehört zu',
  'Marked as handled.': 'Als erledigt markiert.',
  Undo: 'Rückgängig',
  'Note (optional)': 'Notiz (optional)',
  Handled: 'Erledigt',
  Reopen: 'Wieder öffnen',
  Time: 'Zeit',
  Assign: 'Zuordnen',
  'Mark as handled': 'Als erledigt markieren',
  'Assign to a payment': 'Einer Zahlung zuordnen',
  '{amount} will be credited to the selected payment.': '{amount} werden der gewählten Zahlung gutgeschrieben.',
  'Record as resolved': 'Als geklärt erfassen',
  'Search by order number or payment ID': 'Nach Bestellnummer oder Zahlungs-ID suchen',
  'No payment fits. Search for its order number.': 'Keine Zahlung passt. Suchen Sie nach der Bestellnummer.',
  'Payments that fit, best match first': 'Passende Zahlungen, beste zuerst',
  'Accepts no more transfers': 'Nimmt keine Überweisungen mehr an',
  'Named by the transfer': 'In der Überweisung genannt',
  'Named by the customer of:': 'Vom Kunden genannt, zu:',
  'A customer’s page named this transaction. Anyone who knows it can do that: compare the amount and the time, and ask the customer.':
    'Auf der Seite eines Kunden wurde diese Transaktion genannt. Das kann jeder, der sie kennt: Vergleichen Sie Betrag und Zeit, und fragen Sie den Kunden.',
  'Due on {network}. A contract lives at the address: verify it on {arrived} first, or send it back.':
    'Auf {network} fällig. An der Adresse liegt ein Smart Contract: Weisen Sie sie zuerst auf {arrived} nach oder senden Sie das Geld zurück.',
  'Due on {network}. No contract lives at the address there or on {arrived}: its key moves both.':
    'Auf {network} fällig. Weder dort noch auf {arrived} liegt an der Adresse ein Smart Contract: Derselbe Schlüssel verfügt über beide.',
  'Due on {network}. Send this transfer back.': 'Auf {network} fällig. Senden Sie diese Überweisung zurück.',
  'Due on {network}. What lives at the address could not be looked up. Try again in a minute.':
    'Auf {network} fällig. Was an der Adresse liegt, ließ sich nicht prüfen. Versuchen Sie es in einer Minute erneut.',
  'Due on {network}. You have verified this address on {arrived}.':
    'Auf {network} fällig. Sie haben diese Adresse auf {arrived} nachgewiesen.',
  'All refunds, newest first.': 'Alle Erstattungen, neueste zuerst.',
  'Planned refunds. Send all of a network with one signature.':
    'Geplante Erstattungen. Senden Sie alle eines Netzwerks mit einer Signatur.',
  'To send': 'Zu senden',
  'No refund to send': 'Keine Erstattung zu senden',
  'Plan one on the page of its payment, or ask the customer for the address by a link.':
    'Planen Sie eine auf der Seite ihrer Zahlung oder fragen Sie den Kunden per Link nach der Adresse.',
  'Refunds to send': 'Zu sendende Erstattungen',
  'Send to {address}': 'An {address} senden',
  '{count} chosen: {amounts}': '{count} ausgewählt: {amounts}',
  'In your wallet': 'In Ihrer Wallet',
  'Your wallet had it: look there first': 'War in Ihrer Wallet: erst dort nachsehen',
  'It wasn’t sent': 'Nicht gesendet',
  'No wallet for this network was found in this browser.':
    'In diesem Browser wurde keine Wallet für dieses Netzwerk gefunden.',
  'Your wallet is connected with {address}, which isn’t one of your payout wallets.':
    'Ihre Wallet ist mit {address} verbunden; das ist keine Ihrer Auszahlungs-Wallets.',
  'Send {count} with {wallet}': '{count} mit {wallet} senden',
  'A wallet that can batch asks for one signature. Others ask for one for each refund.':
    'Wallets, die Aufrufe bündeln, verlangen eine Signatur. Andere verlangen für jede Erstattung eine.',
  'Record {count} as sent': '{count} als gesendet erfassen',
  'The addresses are right: send': 'Die Adressen stimmen: senden',
  'What you send to others from your own wallet. Each is checked on-chain and recorded.':
    'Was Sie aus Ihrer eigenen Wallet an andere senden. Jede Auszahlung wird auf der Blockchain geprüft und erfasst.',
  Payouts: 'Auszahlungen',
  Payout: 'Auszahlung',
  'Import payouts': 'Auszahlungen importieren',
  'Payouts to send': 'Zu sendende Auszahlungen',
  'On their way': 'Unterwegs',
  'No payout to send': 'Keine Auszahlung zu senden',
  'Import a CSV: a line has an address, an asset, a network, an amount and a note.':
    'Importieren Sie eine CSV-Datei: je Zeile Adresse, Coin, Netzwerk, Betrag und Notiz.',
  Arrived: 'Angekommen',
  'The transaction sent nothing to this address. Name the right one, or cancel this payout.':
    'Die Transaktion hat nichts an diese Adresse gesendet. Nennen Sie die richtige oder stornieren Sie diese Auszahlung.',
  'The transaction sent {amount} to this address, which isn’t this payout, or counts for another one.':
    'Die Transaktion hat {amount} an diese Adresse gesendet. Das ist nicht diese Auszahlung oder zählt für eine andere.',
  'If you sent it elsewhere, or if its transaction was replaced.':
    'Falls Sie sie anderswo gesendet haben oder ihre Transaktion ersetzt wurde.',
  'Cancel this payout': 'Diese Auszahlung stornieren',
  'A wallet was asked for this payout and may still send it. Look there first.':
    'Eine Wallet wurde um diese Auszahlung gebeten und kann sie noch senden. Sehen Sie zuerst dort nach.',
  'It wasn’t sent: cancel': 'Sie wurde nicht gesendet: stornieren',
  'Paste it, drop a file here, or choose one. Nothing is sent by it.':
    'Einfügen, eine Datei hierher ziehen oder auswählen. Dabei wird nichts gesendet.',
  'Choose a file': 'Datei auswählen',
  Check: 'Prüfen',
  'Count it as sent': 'Als gesendet zählen',
  'Its money still belongs to other refunds.': 'Das Geld dafür gehört noch zu anderen Erstattungen.',
  'Nothing can be imported until these lines are right:': 'Importieren geht erst, wenn diese Zeilen stimmen:',
  'Repeated line': 'Doppelte Zeile',
  'Planned already': 'Schon geplant',
  'Send them elsewhere, and name the transaction of each in its details.':
    'Senden Sie sie anderswo und nennen Sie die Transaktion jeder Auszahlung in deren Details.',
  'Another browser gave {count} of these to its wallet {address}, which has them until {time}.':
    'Ein anderer Browser hat {count} davon an seine Wallet {address} gegeben; dort liegen sie bis {time}.',
  'That wallet hasn’t sent them: send': 'Jene Wallet hat nichts gesendet: senden',
  'A wallet that can batch asks for one signature. Others ask for one for each payout.':
    'Wallets, die Aufrufe bündeln, verlangen eine Signatur. Andere verlangen für jede Auszahlung eine.',
  'Test mode: there is nothing to send. Continue and record the payouts.':
    'Testmodus: Es gibt nichts zu senden. Fahren Sie fort und erfassen Sie die Auszahlungen.',
  'Send later with others': 'Später mit anderen senden',
  'Your wallet hasn’t named the transaction yet. Look there before you send anything again.':
    'Ihre Wallet hat die Transaktion noch nicht genannt. Sehen Sie dort nach, bevor Sie noch einmal senden.',
  'Amount matches': 'Betrag stimmt',
  '{amount} too little': '{amount} zu wenig',
  '{amount} too much': '{amount} zu viel',
  'Preview of your checkout': 'Vorschau Ihrer Bezahlseite',
  'Customer pays': 'Kunde zahlt',
  'Why this amount?': 'Warum dieser Betrag?',
  'The last digits identify this payment. They aren’t a fee, and they arrive in your wallet.':
    'Die letzten Ziffern kennzeichnen diese Zahlung. Sie sind keine Gebühr und kommen in Ihrer Wallet an.',
  '{provider} holds the customer’s deposit on {network}.': '{provider} hält die Einzahlung des Kunden auf {network}.',
  '{provider} holds {amount} on {network}.': '{provider} hält {amount} auf {network}.',
  'Nothing has reached your wallet, so don’t send a refund from it. Ask {provider} about this order.':
    'In Ihrer Wallet ist nichts angekommen, senden Sie also keine Erstattung von dort. Fragen Sie {provider} ' +
    'nach diesem Auftrag.',
  'Provider’s order': 'Auftrag beim Anbieter',
  'Deposit address': 'Einzahlungsadresse',
  'Customer’s refund address': 'Erstattungsadresse des Kunden',
  'Get help from {provider}': 'Hilfe von {provider}',
  'Nothing has reached your wallet, so there is nothing to send back. Record the refund once the customer has their money.':
    'In Ihrer Wallet ist nichts angekommen, es gibt also nichts zurückzusenden. Erfassen Sie die Erstattung, sobald der Kunde sein Geld hat.',
  'Receive a live payment': 'Eine Live-Zahlung erhalten',
  'Pay one of your own live checkouts with a small amount.':
    'Schließen Sie einen eigenen Live-Bezahlvorgang mit einem kleinen Betrag ab.',
  'Payout wallets': 'Auszahlungs-Wallets',
  'Payments are sent straight to these addresses. We never hold funds or keys.':
    'Zahlungen gehen direkt an diese Adressen. Wir verwahren weder Geld noch Schlüssel.',
  'Add a wallet': 'Wallet hinzufügen',
  'You sign in with a wallet, so payouts go only to that wallet, and no one else can redirect them. To use several wallets, sign in by email.':
    'Sie melden sich mit einer Wallet an, daher gehen Zahlungen nur an diese Wallet, und niemand sonst kann sie umleiten. Für mehrere Wallets melden Sie sich per E-Mail an.',
  'No payout wallet yet': 'Noch keine Auszahlungs-Wallet',
  'Add the wallet address where you want to receive payments.':
    'Fügen Sie die Wallet-Adresse hinzu, an der Zahlungen ankommen sollen.',
  Default: 'Standard',
  Verified: 'Nachgewiesen',
  Archived: 'Archiviert',
  'Added via API': 'Per API hinzugefügt',
  'Verify ownership': 'Besitz nachweisen',
  'Make default': 'Als Standard festlegen',
  Archive: 'Archivieren',
  'Archive this wallet?': 'Diese Wallet archivieren?',
  'No new checkouts or links will use it; open checkouts still pay to it. This can’t be undone.':
    'Neue Bezahlvorgänge und Links verwenden sie nicht mehr; offene zahlen weiter an sie. Das lässt sich nicht rückgängig machen.',
  'Endpoint not found in this mode': 'In diesem Modus gibt es diesen Endpunkt nicht',
  'All endpoints': 'Alle Endpunkte',
  Webhooks: 'Webhooks',
  Webhook: 'Webhook',
  'Send test event': 'Testereignis senden',
  'Rotate secret': 'Geheimnis erneuern',
  'Disabled after 6 failed attempts. New events are queued and will be sent when you re-enable it.':
    'Nach sechs Fehlversuchen deaktiviert. Neue Ereignisse warten und werden nach dem Aktivieren gesendet.',
  Events: 'Ereignisse',
  'Last 100 deliveries': 'Letzte 100 Zustellungen',
  '{good} delivered, {bad} failed': '{good} zugestellt, {bad} fehlgeschlagen',
  'Avg. response': 'Antwortzeit',

  'Redeliver all failed': 'Alle fehlgeschlagenen erneut senden',
  'New signing secret': 'Neues Signaturgeheimnis',
  'Rotate secret?': 'Geheimnis erneuern?',
  'Both secrets stay valid for 24 hours so you can switch without missing events.':
    'Beide Geheimnisse gelten 24 Stunden, damit Sie wechseln können, ohne Ereignisse zu verpassen.',
  'Delete this endpoint?': 'Diesen Endpunkt löschen?',
  'Pending events won’t be delivered.': 'Ausstehende Ereignisse werden nicht mehr zugestellt.',
  Deliveries: 'Zustellungen',

  'No deliveries': 'Keine Zustellungen',
  'Deliveries appear here with the next payment.': 'Sie erscheinen hier mit der nächsten Zahlung.',
  Event: 'Ereignis',
  Attempts: 'Versuche',
  Response: 'Antwort',
  'Next attempt': 'Nächster Versuch',
  'Sends one signed sample event. No retries.': 'Sendet ein signiertes Musterereignis, ohne Wiederholung.',
  'Delivered: the endpoint returned {code}.': 'Zugestellt: Der Endpunkt antwortete mit {code}.',
  'No response.': 'Keine Antwort.',
  'Not delivered: the endpoint returned {code}.': 'Nicht zugestellt: Der Endpunkt antwortete mit {code}.',
  Send: 'Senden',
  'Add endpoint': 'Endpunkt hinzufügen',
  'Get signed payment events on your server, with automatic retries.':
    'Signierte Zahlungsereignisse für Ihren Server, mit automatischen Wiederholungen.',
  'No endpoints yet': 'Noch keine Endpunkte',
  'An endpoint is an https URL on your server. Try yours in test mode first.':
    'Ein Endpunkt ist eine https-URL Ihres Servers. Probieren Sie Ihren zuerst im Testmodus aus.',
  'An endpoint is an https URL on your server. Test it here before you go live.':
    'Ein Endpunkt ist eine https-URL Ihres Servers. Testen Sie ihn hier, bevor Sie live gehen.',
  'Webhook endpoints': 'Webhook-Endpunkte',
  Address: 'Adresse',
  Health: 'Zustand',
  'No events sent yet': 'Noch keine Ereignisse gesendet',
  Healthy: 'In Ordnung',
  'no response': 'keine Antwort',
  'Signing secret': 'Signaturgeheimnis',
  'Add a webhook endpoint': 'Webhook-Endpunkt hinzufügen',
  'Add the endpoint': 'Endpunkt hinzufügen',
  Delivery: 'Zustellung',
  Redeliver: 'Erneut senden',
  'No attempts yet.': 'Noch nicht versucht.',
  Manual: 'Von Hand',
  'Attempt {number}': 'Versuch {number}',
  'Recomputed signature': 'Signatur, neu berechnet',
  'Raw body': 'Inhalt, Byte für Byte',
  'Add a payout wallet': 'Auszahlungs-Wallet hinzufügen',
  'Asset and network': 'Coin und Netzwerk',
  'Use a wallet you control. Exchange deposit addresses can delay or reject incoming payments.':
    'Verwenden Sie eine Wallet, über die Sie selbst verfügen. Einzahlungsadressen von Börsen können Zahlungen verzögern oder ablehnen.',
  Treasury: 'Kasse',
  'Compare the first and last characters with your wallet. Funds sent to a wrong address can’t be recovered.':
    'Vergleichen Sie die ersten und letzten Zeichen mit Ihrer Wallet. Geld an eine falsche Adresse lässt sich nicht zurückholen.',
  'Save wallet': 'Wallet speichern',
  'Your wallet is connected with {address}. Switch it to the account of this payout wallet.':
    'Ihre Wallet ist mit {address} verbunden. Wechseln Sie darin zum Konto dieser Auszahlungs-Wallet.',
  'Verify that you own it': 'Besitz nachweisen',
  'Sign this message with the wallet. It costs nothing and moves no funds.':
    'Signieren Sie diese Nachricht mit der Wallet. Das kostet nichts und bewegt kein Geld.',
  'Sign with {wallet}': 'Mit {wallet} signieren',
  'Copy message': 'Nachricht kopieren',
  'Paste a signature': 'Signatur einfügen',
  Verify: 'Nachweisen',
  'No wallet found in this browser.': 'In diesem Browser wurde keine Wallet gefunden.',
  Checkouts: 'Bezahlvorgänge',
  'Defaults used when your API request or payment link doesn’t specify a value.':
    'Standardwerte, wenn Ihre API-Anfrage oder Ihr Zahlungslink keinen Wert angibt.',
  'Default ({value})': 'Standard ({value})',
  'Expires after': 'Läuft ab nach',
  '1 hour': '1 Stunde',
  'Accepted coins': 'Akzeptierte Coins',
  'All supported coins': 'Alle unterstützten Coins',
  'Selected coins only': 'Nur ausgewählte Coins',
  'Test clock': 'Testuhr',
  'The test clock shows {now}. Move it forward to expire sessions and retry webhooks as if the time had passed.':
    'Die Testuhr zeigt {now}. Stellen Sie sie vor: Bezahlvorgänge laufen ab und Webhooks werden wiederholt, als wäre die Zeit vergangen.',
  'The test clock can only move forward.': 'Die Testuhr lässt sich nur vorstellen.',
  Invitations: 'Einladungen',
  'Each link opens an account for another shop, not access to yours.':
    'Jeder Link eröffnet ein neues Konto auf diesem Server, für einen anderen Shop. Zugang zu Ihrem gibt er nicht.',
  'Create an invitation link': 'Einladungslink erstellen',
  'Leave empty to share the link yourself.': 'Leer lassen, um den Link selbst weiterzugeben.',
  'Valid until {day}': 'Gültig bis {day}',
  Revoke: 'Widerrufen',
  'Delete view {name}': 'Ansicht {name} löschen',
  'Save this view': 'Diese Ansicht speichern',
  'Saved in this browser with all its filters.': 'Wird in diesem Browser mit allen Filtern gespeichert.',
  Steps: 'Schritte',
  'Send a refund': 'Erstattung senden',
  'Record the refund': 'Erstattung erfassen',
  'The funds are in your wallet, so the refund must come from you. Blockchain transfers can’t be reversed.':
    'Das Geld ist in Ihrer Wallet, also müssen Sie die Erstattung senden. Überweisungen auf einer Blockchain lassen sich nicht rückgängig machen.',
  'To ({network})': 'An ({network})',
  'Provided by the customer': 'Vom Kunden angegeben',
  'Sender’s address': 'Absenderadresse',
  'Sent {amount}': 'Hat {amount} gesendet',
  'Less than 5% of the payment': 'Weniger als 5 % der Zahlung',
  'Looks like another address': 'Ähnelt einer anderen Adresse',
  'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.':
    'Zahlungen von einer Börse kommen von der Adresse der Börse. Fragen Sie den Kunden, bevor Sie eine Erstattung dorthin senden.',
  'Amount ({asset})': 'Betrag ({asset})',
  'Enter a number such as {amount}.': 'Geben Sie eine Zahl wie {amount} ein.',
  '{amount} received.': '{amount} kamen an.',
  'I’ve sent it': 'Ich habe es gesendet',
  'A refund of this payment was already sent from this browser. Send another only if that one failed.':
    'Eine Erstattung dieser Zahlung wurde bereits aus diesem Browser gesendet. Senden Sie nur dann eine ' +
    'weitere, wenn diese fehlgeschlagen ist.',
  'Send another refund': 'Weitere Erstattung senden',
  'QR code of the refund for your wallet': 'QR-Code der Erstattung für Ihre Wallet',
  'Scan it with the wallet that holds the funds, or send from this browser.':
    'Scannen Sie ihn mit der Wallet, in der das Geld ist, oder senden Sie aus diesem Browser.',
  'Send with {wallet}': 'Mit {wallet} senden',
  'Your wallet is connected with {address}, which isn’t the payout wallet of this payment.':
    'Ihre Wallet ist mit {address} verbunden; das ist nicht die Auszahlungs-Wallet dieser Zahlung.',
  'Send from it anyway': 'Trotzdem von dort senden',
  'Another browser has asked the wallet {address} to send {amounts}, and waits for it until {time}.':
    'Ein anderer Browser hat die Wallet {address} gebeten, {amounts} zu senden, und wartet darauf bis {time}.',
  'Look there first. If both wallets send it, the money is gone twice.':
    'Sehen Sie zuerst dort nach. Senden beide Wallets, ist das Geld zweimal weg.',
  'Send here instead': 'Stattdessen hier senden',
  'May have been sent twice': 'Vielleicht doppelt gesendet',
  'Another transaction was named too. It may have been sent twice: check.':
    'Auch eine andere Transaktion wurde genannt. Vielleicht wurde doppelt gesendet: Prüfen Sie das.',
  'A wallet sent this refund after it had ended, when its money belonged to other refunds. It may have been sent twice: check.':
    'Eine Wallet hat diese Erstattung gesendet, nachdem sie beendet war und das Geld zu anderen Erstattungen gehörte. Vielleicht wurde doppelt gesendet: Prüfen Sie das.',
  'Open in a wallet on this device': 'In einer Wallet auf diesem Gerät öffnen',
  'Test mode: there is nothing to send. Continue and record the refund.':
    'Testmodus: Es gibt nichts zu senden. Fahren Sie fort und erfassen Sie die Erstattung.',
  'Transaction (optional)': 'Transaktion (optional)',
  'We’ll check the transaction on-chain before recording it.':
    'Wir prüfen die Transaktion auf der Blockchain, bevor wir sie erfassen.',
  'To check it on-chain, go back and enter the recipient’s address.':
    'Um sie auf der Blockchain zu prüfen, gehen Sie zurück und geben Sie die Adresse des Empfängers ein.',
  'Check transaction': 'Transaktion prüfen',
  'Sent. Waiting for the transaction to appear on-chain…':
    'Gesendet. Warten, bis die Transaktion auf der Blockchain erscheint …',
  'Record without on-chain confirmation': 'Ohne Bestätigung der Blockchain erfassen',
  'This looks like a recovery phrase. Never paste it anywhere: anyone who has it can take all of your money.':
    'Das sieht nach einer Wiederherstellungsphrase aus. Fügen Sie sie nie irgendwo ein: Wer sie hat, kann Ihr ganzes Geld nehmen.',
  'An address has no spaces.': 'Eine Adresse hat keine Leerzeichen.',
  'At most {amount}': 'Höchstens {amount}',
  'Link: {description}': 'Link: {description}',
  'At most {number} decimals': 'Höchstens {number} Nachkommastellen',
  'At least {amount}': 'Mindestens {amount}',
  'Reason (optional)': 'Grund (optional)',
  Back: 'Zurück',
  'Found: {amount} to {to}': 'Gefunden: {amount} an {to}',
  'from {address}, not your payout wallet': 'von {address}, nicht Ihrer Auszahlungs-Wallet',
  'Only some providers show this transaction yet. Don’t send the refund again; check again in a minute.':
    'Erst einige Anbieter zeigen diese Transaktion. Senden Sie die Erstattung nicht noch einmal; prüfen Sie es in einer Minute erneut.',
  'We couldn’t find this transaction paying this address. It may be too recent; try again in a minute.':
    'Wir haben nicht gefunden, dass diese Transaktion an diese Adresse zahlt. Vielleicht ist sie zu neu; versuchen Sie es in einer Minute erneut.',
  'This transaction failed on-chain. No funds moved.':
    'Diese Transaktion ist auf der Blockchain fehlgeschlagen: Es floss kein Geld.',
  'Test mode has no public blockchain, so this isn’t checked.':
    'Der Testmodus hat keine öffentliche Blockchain, daher wird dies nicht geprüft.',
  'View details': 'Details ansehen',
  'The customer was asked for {amount} on {network}': 'Der Kunde sollte {amount} auf {network} zahlen',
  '{event} delivered, response {code}': '{event} zugestellt, Antwort {code}',
  '{event} failed on attempt {attempt} ({code})': '{event} bei Versuch {attempt} nicht zugestellt ({code})',
  'A refund was recorded': 'Eine Erstattung wurde erfasst',
  'A refund was planned': 'Eine Erstattung wurde geplant',
  'A refund was sent': 'Eine Erstattung wurde gesendet',
  'A refund arrived': 'Eine Erstattung kam an',
  'A refund failed: no money moved': 'Eine Erstattung schlug fehl: Es floss kein Geld',
  'A refund was cancelled': 'Eine Erstattung wurde storniert',
  Refunds: 'Erstattungen',
  'Decide about wallets that keys add': 'Über Wallets entscheiden, die Schlüssel hinzufügen',
  'So that a leaked key can’t redirect payments.': 'Damit ein entwendeter Schlüssel keine Zahlungen umleiten kann.',
  'Payout wallets that a live key adds wait for me to confirm them':
    'Auszahlungs-Wallets, die ein Live-Schlüssel hinzufügt, warten auf meine Bestätigung',
  'We mail you, and no payment settles to the wallet before you confirm it.':
    'Sie erhalten eine E-Mail, und keine Zahlung geht an die Wallet, bevor Sie sie bestätigen.',
  'Waits for you': 'Wartet auf Sie',
  'A live key added this wallet. No payment settles to it before you confirm it. Archive it if it isn’t yours.':
    'Ein Live-Schlüssel hat diese Wallet hinzugefügt. Bis Sie sie bestätigen, geht keine Zahlung an sie. Archivieren Sie sie, wenn sie nicht Ihnen gehört.',
  'Confirm this wallet': 'Diese Wallet bestätigen',
  'Is this your wallet?': 'Ist das Ihre Wallet?',
  'Yes, it’s mine': 'Ja, sie gehört mir',
  'From now on payments can settle to this address on {network}:':
    'Ab jetzt können Zahlungen auf {network} an diese Adresse gehen:',
  'They can’t add payout wallets either.': 'Auch Auszahlungs-Wallets können sie nicht hinzufügen.',
  'A payout wallet that a live key adds waits for you to confirm it.':
    'Eine Auszahlungs-Wallet, die ein Live-Schlüssel hinzufügt, wartet auf Ihre Bestätigung.',
  'A full key can add payout wallets, and a leaked one could let customers pay to another address.':
    'Ein Schlüssel mit vollem Zugriff kann Auszahlungs-Wallets hinzufügen; ein entwendeter könnte Kunden an eine andere Adresse zahlen lassen.',
  'Change that': 'Ändern',
  'Added by a live key. Confirm it before payments can settle to it.':
    'Von einem Live-Schlüssel hinzugefügt. Bestätigen Sie sie, damit Zahlungen an sie gehen können.',
  Overpaid: 'Überzahlt',
  'Partly refunded': 'Teilweise erstattet',
  'Customers sent more than the price. You can refund the surplus.':
    'Kunden haben mehr als den Preis gesendet. Sie können die Überzahlung erstatten.',
  'Send back': 'Zurücksenden',
  'Sent back: {transaction}': 'Zurückgesendet: {transaction}',
  'No payment has this transfer. Send it from your own wallet, and look there first whether it has arrived.':
    'Diese Überweisung gehört zu keiner Zahlung. Sehen Sie zuerst in Ihrer Wallet nach, ob sie angekommen ist, und senden Sie sie von dort zurück.',
  'The network names no sender.': 'Das Netzwerk nennt keinen Absender.',
  'Received by': 'Empfangen von',
  'It is kept with the transfer, which is marked as handled. We don’t check it on-chain.':
    'Sie steht dann bei der Überweisung, die als erledigt markiert wird. Wir prüfen sie nicht auf der Blockchain.',
  'Waiting for an address': 'Wartet auf Adresse',
  'Refund link': 'Erstattungslink',
  'Ask the customer for the address, by a link': 'Den Kunden per Link nach der Adresse fragen',
  'Mail the link to (optional)': 'Link per E-Mail an (optional)',
  'The customer’s wallet proves itself by a signature. You confirm an address that they enter.':
    'Die Wallet des Kunden weist sich durch eine Signatur aus. Eine eingegebene Adresse bestätigen Sie.',
  'Language of the mail': 'Sprache der E-Mail',
  'Create the link': 'Link erstellen',
  'Send this link to the customer. It is shown only now, and works once.':
    'Senden Sie dem Kunden diesen Link. Er wird nur jetzt gezeigt und gilt einmal.',
  'The link was mailed to {email}. It is shown only now, and works once.':
    'Der Link wurde an {email} gesendet. Er wird nur jetzt gezeigt und gilt einmal.',
  'We didn’t mail it. In live mode the payout wallet must be verified, in test mode it goes only to your own address, and each day has a limit.':
    'Wir haben ihn nicht gesendet. Im Live-Modus muss die Auszahlungs-Wallet nachgewiesen sein, im Testmodus geht er nur an Ihre eigene Adresse, und je Tag gilt eine Obergrenze.',
  'Valid until': 'Gültig bis',
  'The customer has the link until {time}.': 'Der Link des Kunden gilt bis {time}.',
  'Mailed to {email}, valid until {time}.': 'An {email} gesendet, gültig bis {time}.',
  'The customer named no address.': 'Der Kunde hat keine Adresse genannt.',
  'The wallet that paid signed for this address.': 'Die Wallet, die gezahlt hat, hat für diese Adresse signiert.',
  'The customer entered this address by the link.': 'Der Kunde hat diese Adresse über den Link eingegeben.',
  'Check the address': 'Adresse prüfen',
  'Send this refund': 'Diese Erstattung senden',
  'Confirm the refund': 'Erstattung bestätigen',
  'Is this the amount, and the address that it goes to? The address can’t be changed after this.':
    'Stimmen Betrag und Zieladresse? Die Adresse lässt sich danach nicht mehr ändern.',
  'The customer entered this address. Compare it with what they tell you elsewhere, such as on the phone.':
    'Der Kunde hat diese Adresse eingegeben. Vergleichen Sie sie mit dem, was er Ihnen auf anderem Weg sagt, etwa am Telefon.',
  'Not yet': 'Noch nicht',
  'Confirm {amount} to this address': '{amount} an diese Adresse bestätigen',
  'The address is right': 'Die Adresse stimmt',
  'The customer entered an address for this refund. Confirm it.':
    'Der Kunde hat für diese Erstattung eine Adresse eingegeben. Bestätigen Sie sie.',
  'The customer named an address for this refund. Send it.':
    'Der Kunde hat eine Adresse genannt. Senden Sie die Erstattung.',
  'Planned payouts wait for your wallet. Send all of a network with one signature.':
    'Geplante Auszahlungen warten auf Ihre Wallet. Senden Sie alle eines Netzwerks mit einer Signatur.',
  'Its transaction doesn’t send this payout. Name the right one, or cancel it.':
    'Die genannte Transaktion sendet diese Auszahlung nicht. Nennen Sie die richtige oder stornieren Sie die Auszahlung.',
  Planned: 'Geplant',
  Sent: 'Gesendet',
  Differs: 'Weicht ab',
  'Cancel this refund': 'Diese Erstattung stornieren',
  'Cancel this refund?': 'Diese Erstattung stornieren?',
  'If the customer should still get this refund, plan it again or send them a new link.':
    'Falls der Kunde diese Erstattung noch bekommen soll, planen Sie sie neu oder senden Sie ihm einen neuen Link.',
  'The transaction sent {amount} instead. Cancel this refund and record the amount that you sent.':
    'Die Transaktion hat stattdessen {amount} gesendet. Stornieren Sie diese Erstattung und erfassen Sie den gesendeten Betrag.',
  'The transaction sent nothing to this address. Check where it went, then cancel this refund.':
    'Die Transaktion hat nichts an diese Adresse gesendet. Prüfen Sie, wohin sie ging, und stornieren Sie dann diese Erstattung.',
  'The transaction sent this amount, but it can’t count for this refund: it counts for another one, is older than the payment, or came from a wallet that another account has proved. Look at your wallet before you cancel this refund and send it again.':
    'Die Transaktion hat diesen Betrag gesendet, kann aber nicht für diese Erstattung zählen: Sie zählt für eine andere, ist älter als die Zahlung oder kam aus einer Wallet, die ein anderes Konto nachgewiesen hat. Sehen Sie in Ihrer Wallet nach, bevor Sie diese Erstattung stornieren und noch einmal senden.',
  'Without a transaction on-chain, recording makes the payment refunded, whatever the amount.':
    'Ohne Transaktion auf der Blockchain gilt die Zahlung nach dem Erfassen als erstattet, egal bei welchem Betrag.',
  'What to refund': 'Was erstattet wird',
  'Surplus {amount}': 'Überzahlung {amount}',
  'A part': 'Ein Teil',
  '{left} left of {amount} received.': 'Noch {left} der angekommenen {amount}.',
  '{amount} is already planned to be refunded, or on its way.':
    'Die Erstattung von {amount} ist schon geplant oder unterwegs.',
  'Partly paid': 'Teilweise bezahlt',
  Confirming: 'Wird bestätigt',
  Underpaid: 'Unterzahlt',
  Late: 'Verspätet',
  'Conversion failed': 'Umwandlung fehlgeschlagen',
  'Conversion short': 'Umwandlung brachte zu wenig',
  'Held by the provider': 'Vom Anbieter zurückgehalten',
  'Underpaid {amount}': '{amount} zu wenig',
  'Overpaid {amount}': '{amount} überzahlt',
  '{amount} refunded': '{amount} erstattet',
  '{got} of {due}': '{got} von {due}',
  '{amount} was removed by a chain reorganization': '{amount} durch eine Reorganisation der Blockchain entfernt',
  '{amount} not counted: {reason}': '{amount} nicht gezählt: {reason}',
  'Refunds of this payment don’t include it. Assign it, or send it back from the transfers once it is final.':
    'Erstattungen dieser Zahlung enthalten diesen Betrag nicht. Ordnen Sie ihn bei den Überweisungen zu, oder senden Sie ihn zurück, sobald er endgültig ist.',
  'Refunds of this payment don’t include it. Once it is final, send it back from the transfers.':
    'Erstattungen dieser Zahlung enthalten diesen Betrag nicht. Senden Sie ihn bei den Überweisungen zurück, sobald er endgültig ist.',
  'Make sure that the customer doesn’t get the same money twice.':
    'Vergewissern Sie sich, dass der Kunde dasselbe Geld nicht zweimal bekommt.',
  'You accepted it as it was.': 'Sie haben sie so angenommen.',
  'Received {amount}': '{amount} kamen an',
  'Verified by {provider} only: every call to {others} failed for at least ten minutes':
    'Nur von {provider} geprüft: Jede Anfrage an {others} schlug mindestens zehn Minuten lang fehl',
  'Waiting for more RPC providers to verify it': 'Wartet auf die Prüfung durch weitere RPC-Anbieter',
  '{provider} quoted a conversion of {amount}': '{provider} hat die Umwandlung von {amount} angeboten',
  'To be paid without a server of your own.': 'Damit Sie ohne eigenen Server bezahlt werden.',
  'Create a payment link': 'Zahlungslink erstellen',
  'Add a payout wallet before you create a link.': 'Fügen Sie zuerst eine Auszahlungs-Wallet hinzu.',
  'Continue to payment': 'Weiter zur Zahlung',
  'Workshop seat': 'Platz im Workshop',
  'Payout wallet': 'Auszahlungs-Wallet',
  More: 'Mehr',
  'Order number (optional)': 'Bestellnummer (optional)',
  'Redirect after payment (optional)': 'Nach der Zahlung weiter zu (optional)',
  Preview: 'Vorschau',
  'You receive 100% when paid in {asset} on {network}; other coins carry a 1.5% fee.':
    'In {asset} auf {network} bezahlt, erhalten Sie 100 %; für andere Coins gilt eine Gebühr von 1,5 %.',
  'Create link': 'Link erstellen',
  'Switch to {asset}': 'Zu {asset} wechseln',
  'This is an Ethereum-family address.': 'Das ist eine Adresse der Ethereum-Familie.',
  'This is a Solana address.': 'Das ist eine Solana-Adresse.',
  'recommended: a dollar coin with low network fees': 'empfohlen: Dollar-Coin, niedrige Gebühren',
  Note: 'Notiz',
  'Email address': 'E-Mail-Adresse',
  Edit: 'Bearbeiten',
  Ended: 'Beendet',
  'Checkouts that are already open stay as they are.': 'Schon offene Bezahlvorgänge bleiben, wie sie sind.',
  'Edit this link': 'Diesen Link bearbeiten',
  'Payments at most (optional)': 'Zahlungen höchstens (optional)',
  'Checkouts that are already open can still be paid, so a few more payments are possible.':
    'Schon offene Bezahlvorgänge können noch bezahlt werden, also sind einige Zahlungen mehr möglich.',
  'This day is over. Choose a later one.': 'Dieser Tag ist vorbei. Wählen Sie einen späteren.',
  'Last day (optional)': 'Letzter Tag (optional)',
  'At most (optional)': 'Höchstens (optional)',
  'At least (optional)': 'Mindestens (optional)',
  'What you enter above is then a suggestion, and can be left out.':
    'Was Sie oben eingeben, ist dann ein Vorschlag und kann fehlen.',
  'Suggested amount (optional)': 'Vorgeschlagener Betrag (optional)',
  'Customers see it filled in and can change it. Without it, they enter the amount themselves.':
    'Kunden sehen ihn eingetragen und können ihn ändern. Ohne ihn geben sie den Betrag selbst ein.',
  'Customers decide how much they pay': 'Kunden bestimmen den Betrag selbst',
  'What the note is called (optional)': 'Wie die Notiz heißt (optional)',
  'For example “Order number”. Customers must then fill it in.':
    'Zum Beispiel „Bestellnummer“. Kunden müssen sie dann ausfüllen.',
  'Ask the customer for': 'Vom Kunden erfragen',
  'Without a name or an email address, you can’t see who paid.':
    'Ohne Namen oder E-Mail-Adresse sehen Sie nicht, wer bezahlt hat.',
  'Disabled after 6 failed attempts': 'Nach sechs Fehlversuchen deaktiviert',
  'Last attempt failed': 'Letzter Versuch fehlgeschlagen',
  'Added via API in the last 7 days. Archive it if that wasn’t you.':
    'In den letzten 7 Tagen per API hinzugefügt. Archivieren Sie sie, wenn Sie das nicht waren.',
  'Needs attention': 'Braucht Aufmerksamkeit',
  'Where customers’ payments are sent directly.': 'Wohin Kunden direkt zahlen.',
  'Verify wallet ownership': 'Besitz der Wallet nachweisen',
  'One signature, no transaction.': 'Eine Signatur, keine Transaktion.',
  'Pay a test checkout': 'Eine Testzahlung ausführen',
  'Try the full flow without real money.': 'Der ganze Ablauf, ohne echtes Geld.',
  'Receive a webhook': 'Einen Webhook empfangen',
  'Only for a shop with a server of its own. Payment links don’t need it.':
    'Nur für Shops mit eigenem Server. Zahlungslinks brauchen das nicht.',
  'Set your name and support contact': 'Namen und Supportkontakt angeben',
  'Shown to customers at checkout.': 'Kunden sehen sie auf der Bezahlseite.',
  'Create a live key': 'Einen Live-Schlüssel erstellen',
  'Your server still uses a test key; no live key has been used yet. Test payments don’t move real money.':
    'Ihr Server verwendet noch einen Testschlüssel; bisher wurde kein Live-Schlüssel benutzt. Testzahlungen bewegen kein echtes Geld.',
  'A live webhook endpoint points to a development machine or tunnel: {url}':
    'Ein Live-Webhook-Endpunkt zeigt auf einen Entwicklungsrechner oder Tunnel: {url}',
  'Get started': 'Erste Schritte',
  '{done} of {all}': '{done} von {all}',
  '{done} of {all} sent': '{done} von {all} gesendet',
  Hide: 'Ausblenden',
  done: 'erledigt',
  'Copy {text}': '{text} kopieren',
  Copied: 'Kopiert',
  'Copy link': 'Link kopieren',
  'Something went wrong.': 'Etwas ist schiefgegangen.',
  'Try again': 'Erneut versuchen',
  Loading: 'Wird geladen',
  Close: 'Schließen',
  routed: 'umgewandelt',
  'Copy it now. You won’t be able to see it again.': 'Kopieren Sie es jetzt. Sie können es später nicht mehr ansehen.',
  'Copy secret': 'Geheimnis kopieren',
  'As an environment variable': 'Als Umgebungsvariable',
  'Verify a webhook': 'Einen Webhook prüfen',
  'I’ve saved it': 'Ich habe es gespeichert',
  'Load more': 'Mehr laden',
  'Volume by day': 'Umsatz nach Tagen',
  Day: 'Tag',
  All: 'Alle',
  'Needs a decision': 'Braucht eine Entscheidung',
  Refunded: 'Erstattet',
  '15 minutes': '15 Minuten',
  '30 minutes': '30 Minuten',
  '2 hours': '2 Stunden',
  '1 day': '1 Tag',
  '7 days': '7 Tage',
  '30 days': '30 Tage',
  '1 minute': '1 Minute',
  '5 minutes': '5 Minuten',
  'Payment ID': 'Zahlungs-ID',
  'Can’t reach the server. Check your connection and try again.':
    'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'Your session expired. Sign in again.': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'This code is wrong or has expired.': 'Dieser Code ist falsch oder abgelaufen.',
  'This server does not accept new accounts.': 'Dieser Server nimmt keine neuen Konten an.',
  'This invitation is no longer valid.': 'Diese Einladung ist nicht mehr gültig.',
  'Invalid signature.': 'Ungültige Signatur.',
  'This address can’t be used.': 'Diese Adresse kann nicht verwendet werden.',
  'This action isn’t allowed in the payment’s current status.': 'Im jetzigen Status der Zahlung ist das nicht möglich.',
  'This refund can’t be recorded.': 'Diese Erstattung kann nicht erfasst werden.',
  'You don’t have permission for this action.': 'Dazu fehlt Ihnen die Berechtigung.',
  'Not found in this mode.': 'In diesem Modus nicht gefunden.',
  'Too many requests. Wait a moment and try again.':
    'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.',
  'Temporarily unavailable. Try again in a moment.':
    'Das ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  'Something went wrong on the server. Include the request ID when you report it.':
    'Auf dem Server ist etwas schiefgegangen. Nennen Sie die Anfrage-ID, wenn Sie es melden.',
  'You’ve already saved this address for this asset.': 'Sie haben diese Adresse für diesen Coin schon gespeichert.',
  'You’ve already saved this address for a different asset or network. That’s fine if it’s intended.':
    'Sie haben diese Adresse schon für einen anderen Coin oder ein anderes Netzwerk gespeichert. Das ist in Ordnung, wenn es gewollt ist.',
  'Another account has also saved this address. Verify ownership, or you can’t assign its unattributed transfers.':
    'Auch ein anderes Konto hat diese Adresse gespeichert. Weisen Sie nach, dass sie Ihnen gehört, sonst können Sie Überweisungen an sie keiner Zahlung zuordnen.',
  'This address is a contract, not a regular wallet. That’s fine for a smart wallet or multisig on this network; otherwise funds sent there may be lost.':
    'An dieser Adresse liegt ein Smart Contract, keine gewöhnliche Wallet. Das ist richtig für eine Smart Wallet oder eine Multisig auf genau diesem Netzwerk; sonst kann dorthin gesendetes Geld verloren sein.',
  'This address sent less than this amount to the payment. Ask the customer before you send more than it sent.':
    'Diese Adresse hat weniger als diesen Betrag zur Zahlung gesendet. Fragen Sie den Kunden, bevor Sie mehr ' +
    'senden, als von dort kam.',
  'This address sent less than 5% of the payment. A stranger can do that to appear in this list.':
    'Diese Adresse hat weniger als 5 % der Zahlung gesendet. Das kann ein Fremder tun, um hier zu erscheinen.',
  'This address starts and ends like another address of this payment, but it’s different. Compare every character.':
    'Diese Adresse beginnt und endet wie eine andere Adresse dieser Zahlung, ist aber eine andere. ' +
    'Vergleichen Sie jedes Zeichen.',
  'This address didn’t send anything to this payment. Compare every character with the address the customer gave you.':
    'Diese Adresse hat nichts zu dieser Zahlung gesendet. Vergleichen Sie jedes Zeichen mit der Adresse, die der Kunde Ihnen genannt hat.',
  'This address is a program, not a wallet. Funds sent there are most likely lost.':
    'An dieser Adresse liegt ein Programm, keine Wallet. Dorthin gesendetes Geld ist höchstwahrscheinlich verloren.',
  'The network is unavailable, so we couldn’t check whether this address is a contract.':
    'Das Netzwerk ist nicht erreichbar, daher konnten wir nicht prüfen, ob an dieser Adresse ein Smart Contract liegt.',
  'Underpaid: the customer sent less than the total before the checkout expired.':
    'Unterzahlt: Bis zum Ablauf ist weniger als der Gesamtbetrag eingegangen.',
  'Received after the checkout expired.': 'Erst nach Ablauf des Bezahlvorgangs eingegangen.',
  'Received after the quote expired, and no reliable rate was available.':
    'Erst nach Ablauf des Angebots eingegangen, und es gab keinen verlässlichen Kurs.',
  'The balance increased, but no transaction shows who sent the funds.':
    'Das Guthaben ist gestiegen, aber keine Transaktion zeigt, wer das Geld gesendet hat.',
  'The transaction was reverted.': 'Das Netzwerk hat die Transaktion rückgängig gemacht.',
  'The conversion failed and the provider returned the funds to the customer.':
    'Die Umwandlung ist fehlgeschlagen. Der Anbieter hat das Geld an den Kunden zurückgesendet.',
  'The conversion failed and the provider still holds the funds.':
    'Die Umwandlung ist fehlgeschlagen. Das Geld ist noch beim Anbieter.',
  'The conversion quote had expired.': 'Das Angebot für die Umwandlung war abgelaufen.',
  'The conversion delivered less than quoted.': 'Die Umwandlung hat weniger geliefert als angeboten.',
  'The provider is holding the funds for a compliance review.': 'Der Anbieter hält das Geld für eine Prüfung zurück.',
  'No matching payment': 'Keine passende Zahlung',
  'Payment already paid': 'Die Zahlung war schon bezahlt',
  'Payment already refunded': 'Die Zahlung war schon erstattet',
  'Wrong asset': 'Falscher Coin',
  'Wrong network': 'Falsches Netzwerk',
  'Below the minimum': 'Unter dem Mindestbetrag',
  'Accept it or refund it.': 'Nehmen Sie sie an oder erstatten Sie sie.',
  'Check “{label}”.': 'Prüfen Sie „{label}“.',
  'The server rejected this request.': 'Der Server hat diese Anfrage abgelehnt.',
  'Your wallet is still on a different network. Switch it and try again.':
    'Ihre Wallet ist auf einem anderen Netzwerk geblieben. Stellen Sie sie um und versuchen Sie es erneut.',
  'You rejected the request in your wallet. Nothing was sent.':
    'Sie haben in der Wallet abgelehnt. Es wurde nichts gesendet.',
  'Your wallet has another pending request. Complete it first.':
    'In Ihrer Wallet ist noch eine andere Anfrage offen. Beantworten Sie diese zuerst.',
  'This network isn’t set up in your wallet. Add it and try again.':
    'Ihre Wallet kennt dieses Netzwerk nicht. Fügen Sie es dort hinzu und versuchen Sie es erneut.',
  'No account available. Unlock your wallet and try again.':
    'Kein Konto verfügbar. Entsperren Sie Ihre Wallet und versuchen Sie es erneut.',
  'This account doesn’t have enough of the network’s coin for the fee.':
    'Dieses Konto enthält zu wenig vom Coin des Netzwerks für die Netzwerkgebühr.',
  'Your wallet can’t do this. Nothing was sent.': 'Ihre Wallet kann das nicht. Es wurde nichts gesendet.',
  'Your wallet couldn’t complete the request. Check your wallet before you try again.':
    'Ihre Wallet konnte das nicht ausführen. Sehen Sie dort nach, bevor Sie es erneut versuchen.',
  Delivered: 'Zugestellt',
  Failed: 'Fehlgeschlagen',
  Parked: 'Zurückgestellt',
  Cancelled: 'Storniert',
  Pending: 'Ausstehend',
  Routing: 'In Umwandlung',
  Settling: 'In Abwicklung',
  Expired: 'Abgelaufen',
  '{count} days': { one: '{count} Tag', other: '{count} Tage' },
  '{count} deliveries are requeued.': {
    one: '{count} Zustellung ist wieder unterwegs.',
    other: '{count} Zustellungen sind wieder unterwegs.',
  },
  '{count} seconds': { one: '{count} Sekunde', other: '{count} Sekunden' },
  '{count} characters left': { one: 'noch {count} Zeichen', other: 'noch {count} Zeichen' },
  '{count} payments': { one: '{count} Zahlung', other: '{count} Zahlungen' },
  '{count} overpaid payments': { one: '{count} überzahlte Zahlung', other: '{count} überzahlte Zahlungen' },
  'The transfer that paid it disappeared from the blockchain. Wait before you ship.':
    'Die Überweisung, die sie bezahlt hat, ist von der Blockchain verschwunden. Warten Sie mit dem Versand.',
  'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.':
    'Wir konnten diese Transaktion nicht speichern. Sehen Sie sie im Explorer nach und senden Sie ihren Hash ' +
    'an den Betreiber dieses Servers.',
  'We could not process this transfer automatically. Assign it to a payment or mark it as handled.':
    'Wir konnten diese Überweisung nicht automatisch verarbeiten. Ordnen Sie sie einer Zahlung zu oder ' +
    'markieren Sie sie als erledigt.',
  'This address receives more transfers than we list for an unverified wallet. Payments with an exact amount or a reference are found as usual. Verify ownership of the address to list every transfer.':
    'Diese Adresse empfängt mehr Überweisungen, als wir für eine nicht nachgewiesene Wallet auflisten. Zahlungen mit genauem Betrag oder Referenz werden wie gewohnt gefunden. Weisen Sie nach, dass die Adresse Ihnen gehört, um jede Überweisung aufzulisten.',
  'A final transfer of this payment disappeared from the blockchain. It may be mined again within minutes. Wait before you ship. The status does not change.':
    'Eine Überweisung dieser Zahlung war endgültig und ist von der Blockchain verschwunden. Sie kann ' +
    'innerhalb von Minuten erneut aufgenommen werden. Warten Sie mit dem Versand. Der Status ändert sich ' +
    'nicht.',
  'Not processed automatically': 'Nicht automatisch verarbeitet',
  'Being processed': 'Wird verarbeitet',
  '{count} transfers were not listed in the last 24 hours.': {
    one: '{count} Überweisung wurde in den letzten 24 Stunden nicht aufgelistet.',
    other: '{count} Überweisungen wurden in den letzten 24 Stunden nicht aufgelistet.',
  },
  '{count} transfers below 0.01 USD were not listed in the last 24 hours.': {
    one: '{count} Überweisung unter 0,01 USD wurde in den letzten 24 Stunden nicht aufgelistet.',
    other: '{count} Überweisungen unter 0,01 USD wurden in den letzten 24 Stunden nicht aufgelistet.',
  },
  'Proof required': 'Nachweis nötig',
  Disputed: 'Strittig',
  'Another account proved this address first. Ask the operator of this server to decide.':
    'Ein anderes Konto hat diese Adresse zuerst nachgewiesen. Bitten Sie den Betreiber dieses Servers um ' +
    'eine Entscheidung.',
  'Or send exactly {amount} from this address to itself before {time}, and paste the transaction hash once it is final.':
    'Oder senden Sie bis {time} genau {amount} von dieser Adresse an sie selbst und fügen Sie den ' +
    'Transaktions-Hash ein, sobald die Transaktion endgültig ist.',
  'Transaction hash': 'Transaktions-Hash',
  'You can also sign with a hardware wallet, a contract wallet or on another device. Paste the signature here.':
    'Sie können auch mit einer Hardware-Wallet, einer Smart Wallet oder auf einem anderen Gerät signieren. Fügen Sie die Signatur hier ein.',
  'Released from another account': 'Von einem anderen Konto zurückgeholt',
  'Not confirmed by a second provider': 'Von keinem zweiten Anbieter bestätigt',
  'Taken by another account': 'Von einem anderen Konto verwendet',
  Release: 'Zurückholen',
  'Release this transfer?': 'Diese Überweisung zurückholen?',
  'The other account’s payment loses this money, and its merchant is notified. You can assign the transfer afterwards.':
    'Die Zahlung des anderen Kontos verliert dieses Geld, und dessen Händler wird benachrichtigt. Danach können Sie die Überweisung zuordnen.',
  'The owner of the wallet address released the transfer.':
    'Der Eigentümer der Wallet-Adresse hat die Überweisung zurückgeholt.',
  'Only these': 'Nur diese',
  'Keyboard shortcuts': 'Tastenkürzel',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'Search by name, order, amount, email, payment ID, transaction or address':
    'Name, Bestellung, Betrag, E-Mail, Zahlungs-ID, Transaktion, Adresse',
  'Any time': 'Gesamter Zeitraum',
  'Time zone': 'Zeitzone',
  'CSV exports are always in UTC.': 'CSV-Exporte sind immer in UTC.',
  'Unsaved changes': 'Nicht gespeicherte Änderungen',
  Discard: 'Verwerfen',
  'Leave without saving?': 'Ohne Speichern verlassen?',
  'Your changes have not been saved.': 'Ihre Änderungen wurden nicht gespeichert.',
  Show: 'Anzeigen',
  'Nothing yet': 'Noch nichts',
  Today: 'Heute',
  'Last 7 days': 'Letzte 7 Tage',
  'Last 30 days': 'Letzte 30 Tage',
  'This month': 'Dieser Monat',
  'Last month': 'Letzter Monat',
  'This year': 'Dieses Jahr',
  'Last year': 'Letztes Jahr',
  Money: 'Geld',
  'compared with the {count} days before': {
    one: 'gegenüber dem Tag davor',
    other: 'gegenüber den {count} Tagen davor',
  },
  'Customer not found in this mode': 'In diesem Modus gibt es diesen Kunden nicht',
  Customers: 'Kunden',
  Customer: 'Kunde',
  Reference: 'Referenz',
  'Last payment': 'Letzte Zahlung',
  'Customers who have paid, as your sessions and payment links name them.':
    'Kunden, die bezahlt haben, wie Ihre Bezahlvorgänge und Zahlungslinks sie nennen.',
  'No customers yet': 'Noch keine Kunden',
  'Send customer with a checkout session. Customers appear here after their first payment.':
    'Senden Sie customer mit einem Bezahlvorgang. Kunden erscheinen hier nach ihrer ersten Zahlung.',
  'Searches the start of a name, an email address or a reference, in this mode.':
    'Sucht in diesem Modus nach dem Anfang eines Namens, einer E-Mail-Adresse oder einer Referenz.',
  'Search customers': 'Kunden suchen',
  'Search by name, email or reference': 'Nach Name, E-Mail oder Referenz suchen',
  Mails: 'E-Mails',
  'You sign in with a wallet, so there is no address for mails to you. Use a webhook instead.':
    'Sie melden sich mit einer Wallet an, daher gibt es keine Adresse für E-Mails an Sie. Nutzen Sie ' +
    'stattdessen einen Webhook.',
  'To {email}. At most 20 a day, then one summary an hour.':
    'An {email}. Höchstens 20 am Tag, danach eine Zusammenfassung pro Stunde.',
  'A payment is paid': 'Eine Zahlung ist bezahlt',
  'A payment needs a decision': 'Eine Zahlung braucht eine Entscheidung',
  'A transfer belongs to no payment': 'Eine Überweisung gehört zu keiner Zahlung',
  'Send customers a receipt': 'Kunden einen Beleg senden',
  'Also when a customer has entered the address of their refund.':
    'Auch wenn ein Kunde die Adresse für seine Erstattung eingegeben hat.',
  Decide: 'Entscheiden',
  Confirm: 'Bestätigen',
  'Clock {time} ahead': 'Uhr geht {time} vor',
  'On receipts': 'Auf Belegen',
  'Your company, address and tax number, as the law asks for them.':
    'Firma, Anschrift und Steuernummer, wie das Gesetz sie verlangt.',
  'For developers': 'Für Entwickler',
  'From {amount}': 'Ab {amount}',
  'Up to {amount}': 'Bis {amount}',
  'Any amount': 'Beliebiger Betrag',
  Failing: 'Gestört',
  'Retrying: {count} waiting': 'Wird wiederholt: {count} warten',
  'The endpoint returned {code}': 'Der Endpunkt antwortete mit {code}',
  'The name leads to no public address': 'Der Name führt zu keiner öffentlichen Adresse',
  'Connection refused': 'Verbindung abgelehnt',
  'Connection failed': 'Verbindung fehlgeschlagen',
  'The certificate was not accepted': 'Das Zertifikat wurde nicht akzeptiert',
  'No response in time': 'Keine rechtzeitige Antwort',
  'The response was not HTTP': 'Die Antwort war kein HTTP',
  'Needs attention: {number}': 'Braucht Aufmerksamkeit: {number}',
  'Until you verify that this wallet is yours, customers can pay only from a connected wallet: no QR code, no exchange.':
    'Bis Sie nachweisen, dass diese Wallet Ihnen gehört, zahlen Kunden nur aus einer verbundenen Wallet: kein QR-Code, keine Börse.',
  'No payment can settle to this wallet.': 'An diese Wallet kann keine Zahlung gehen.',
  'The network was unavailable when you saved this wallet. Until we have looked it up, or you verify that it is yours, customers can pay only from a connected wallet: no QR code, no exchange.':
    'Das Netzwerk war nicht erreichbar, als Sie diese Wallet gespeichert haben. Bis wir sie geprüft haben oder Sie nachweisen, dass sie Ihnen gehört, zahlen Kunden nur aus einer verbundenen Wallet: kein QR-Code, keine Börse.',
  'To the customer’s email address, once the payment is paid. In live mode only for payments to a verified payout wallet, in test mode only to your own address.':
    'An die E-Mail-Adresse des Kunden, sobald die Zahlung bezahlt ist. Im Live-Modus nur für Zahlungen an eine nachgewiesene Auszahlungs-Wallet, im Testmodus nur an Ihre eigene Adresse.',
  'Import {count} payouts': { one: '{count} Auszahlung importieren', other: '{count} Auszahlungen importieren' },
  '{count} lines are the same as another one, or as a payout that is planned or on its way.': {
    one: '{count} Zeile gleicht einer Auszahlung, die geplant oder unterwegs ist.',
    other: '{count} Zeilen gleichen einer anderen oder einer Auszahlung, die geplant oder unterwegs ist.',
  },
  Logo: 'Logo',
  'Choose a picture': 'Bild auswählen',
  'Remove the logo': 'Logo entfernen',
  'Or drop one here: PNG, JPEG or WebP. A large one is made smaller.':
    'Oder hier ablegen: PNG, JPEG oder WebP. Ein großes wird verkleinert.',
  'This file can’t be used. Choose a PNG, JPEG or WebP picture without animation, of at most 20 MB.':
    'Diese Datei lässt sich nicht verwenden. Wählen Sie ein Bild als PNG, JPEG oder WebP ohne Animation, höchstens 20 MB.',
  'Searches names, emails, descriptions and notes of recent payments, the start or end of an order number, and exact IDs, amounts, hashes and addresses, in this mode.':
    'Sucht in diesem Modus nach Namen, E-Mails, Beschreibungen und Notizen neuerer Zahlungen, dem Anfang oder Ende ' +
    'einer Bestellnummer und nach genauen IDs, Beträgen, Hashes und Adressen.',
  'Address to confirm': 'Adresse zu bestätigen',
  'Addresses to confirm': 'Adressen zu bestätigen',
  'Refund link created': 'Erstattungslink erstellt',
  'Unclear: this could mean a thousand times more. Write it with two decimals, such as 1250.00 or 1.25.':
    'Nicht eindeutig: Das könnte das Tausendfache bedeuten. Schreiben Sie zwei Nachkommastellen, etwa 1250,00 oder 1,25.',
  'You received {got} of {due}.': '{got} von {due} kamen an.',
  '{amount} of it was refunded.': '{amount} davon wurden erstattet.',
  'Refunds take all of this money, so the payment can’t be accepted. First cancel one that wasn’t sent.':
    'Erstattungen nehmen das ganze Geld, daher kann die Zahlung nicht angenommen werden. Stornieren Sie zuerst eine, die nicht gesendet wurde.',
  'All of it arrived, {time} late: {got}, worth {value}.':
    'Der volle Betrag kam an, {time} zu spät: {got} im Wert von {value}.',
  'Once accepted, it counts as paid: your shop is notified, and the checkout page offers a receipt.':
    'Nach der Annahme gilt die Zahlung als bezahlt: Ihr Shop erfährt davon, und die Bezahlseite bietet einen Beleg an.',
  'Limit reached': 'Höchstzahl erreicht',
  'Limit exceeded by {number}': 'Höchstzahl um {number} überschritten',
  'Its payout wallet takes no new payments': 'Die Auszahlungs-Wallet nimmt keine neuen Zahlungen an',
  'Last day: {day}': 'Letzter Tag: {day}',
  'Refund surplus': 'Überzahlung erstatten',
} satisfies Catalog;
