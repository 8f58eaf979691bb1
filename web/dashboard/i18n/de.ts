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
  'Test mode: no real money': 'Testmodus: kein echtes Geld',
  Test: 'Test',
  Live: 'Live',
  Home: 'Start',
  Period: 'Zeitraum',
  'Latest payments': 'Neueste Zahlungen',
  'All payments': 'Alle Zahlungen',
  'No payments yet': 'Noch keine Zahlungen',
  'Open a payment link and simulate a payment. It takes ten seconds.':
    'Öffnen Sie einen Zahlungslink und wählen Sie ein Testergebnis: Das dauert zehn Sekunden.',
  'Payments appear here as soon as a customer starts paying.':
    'Sie erscheinen hier, sobald ein Kunde zu zahlen beginnt.',
  Volume: 'Umsatz',
  Currency: 'Währung',
  Paid: 'Bezahlt',
  Conversion: 'Abschlussquote',
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
  'Share one URL with many customers. Each visit creates its own checkout.':
    'Eine URL für viele Kunden. Jeder Aufruf erstellt einen eigenen Bezahlvorgang.',
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
  'Back to the dashboard': 'Zurück zur Übersicht',
  'Payment not found in this mode': 'In diesem Modus gibt es diese Zahlung nicht',
  'Look in live mode': 'Im Live-Modus nachsehen',
  'Look in test mode': 'Im Testmodus nachsehen',
  Payments: 'Zahlungen',
  Payment: 'Zahlung',
  'View as customer': 'Als Kunde ansehen',
  'Accept payment': 'Zahlung annehmen',
  Refund: 'Erstattung',
  Timeline: 'Verlauf',
  Details: 'Einzelheiten',
  'Paid with': 'Bezahlt mit',
  Route: 'Weg',
  Routed: 'Umgewandelt',
  'Payout address': 'Auszahlungsadresse',
  Order: 'Bestellung',
  Session: 'Sitzung',
  'Payment link': 'Zahlungslink',
  Transaction: 'Transaktion',
  'Sent to': 'Gesendet an',
  Reason: 'Grund',
  Recorded: 'Erfasst',
  Metadata: 'Metadaten',
  'Accept this payment?': 'Diese Zahlung annehmen?',
  Accept: 'Annehmen',
  'You received {got} of {due}. Accepting marks the payment as paid and sends payment.paid.':
    '{got} kamen an, {due} waren erwartet. Die Zahlung gilt dann als bezahlt, und Ihr Server erfährt es per Webhook.',
  Amounts: 'Beträge',
  'Order amount': 'Bestellbetrag',
  'Service fee': 'Servicegebühr',
  Net: 'Netto',
  Expected: 'Erwartet',
  Received: 'Angekommen',
  Explorer: 'Explorer',
  Columns: 'Spalten',
  'Export CSV': 'Als CSV exportieren',
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
    'Anfragen mit einem geheimen Schlüssel dieses Modus erscheinen hier nach ein bis zwei Sekunden.',
  Requests: 'Anfragen',
  Request: 'Anfrage',
  Duration: 'Dauer',
  'Request ID': 'Anfrage-ID',

  Login: 'Anmeldung',
  'Copy as curl': 'Als curl kopieren',
  Settings: 'Einstellungen',
  'What customers see': 'Was Kunden sehen',
  'Logo (https URL)': 'Logo (https-Adresse)',
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
    'Dies ist ein Wallet-Konto: Es hat das eine Auszahlungs-Wallet, mit dem man sich anmeldet.',
  'Sign out': 'Abmelden',
  'Sign out everywhere': 'Überall abmelden',
  'Sign in': 'Anmelden',
  'This sign-in link has expired or was already used. Sign in below, or restart the server for a new link.':
    'Dieser Link wurde schon benutzt oder ist abgelaufen. Starten Sie den Dienst neu, um einen neuen zu ' +
    'erhalten, oder melden Sie sich hier an.',
  or: 'oder',
  'New here? Signing in creates your account. We never hold your funds or private keys.':
    'Die erste Anmeldung legt das Konto an. Kein Passwort und kein Schlüssel zu Ihrem Geld: Wir besitzen nie einen.',
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
    'In diesem Browser wurde kein Wallet gefunden. Mit einem Ethereum- oder Solana-Wallet können Sie sich ' +
    'durch eine Signatur anmelden.',
  'Unattributed transfers': 'Nicht zugeordnete Überweisungen',
  'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.':
    'Überweisungen auf Ihre Auszahlungs-Wallets, die zu keiner Zahlung gehören. Ordnen Sie sie einer Zahlung ' +
    'zu oder markieren Sie sie als erledigt.',
  'All caught up': 'Nichts zu erledigen',
  Transfers: 'Überweisungen',

  Time: 'Zeit',
  Assign: 'Zuordnen',
  'Mark as handled': 'Als erledigt markieren',
  'Assign to a payment': 'Einer Zahlung zuordnen',
  '{amount} will be credited to the selected payment.':
    '{amount} zählen für die Zahlung, als wären sie dafür gesendet worden.',
  'Record as resolved': 'Als geklärt vermerken',
  'Search by order number or payment ID': 'Nach Bestellnummer oder Zahlungs-ID suchen',
  'No payment fits. Search for its order number.': 'Keine Zahlung passt. Suchen Sie nach der Bestellnummer.',
  'Payments that fit, best match first': 'Passende Zahlungen, beste zuerst',
  'Accepts no more transfers': 'Nimmt keine Überweisungen mehr an',
  'Named by the transfer': 'In der Überweisung genannt',
  'Amount matches': 'Betrag stimmt',
  '{amount} too little': '{amount} zu wenig',
  '{amount} too much': '{amount} zu viel',
  'Preview of your checkout': 'Vorschau Ihres Checkouts',
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
    'In Ihrer Wallet ist nichts angekommen, es gibt also nichts zurückzusenden. Vermerken Sie die ' +
    'Erstattung, sobald der Kunde sein Geld hat.',
  'Receive a live payment': 'Eine Live-Zahlung erhalten',
  'Pay one of your own live checkouts with a small amount.':
    'Bezahlen Sie einen eigenen Live-Checkout mit einem kleinen Betrag.',
  'Payout wallets': 'Auszahlungs-Wallets',
  'Payments are sent straight to these addresses. We never hold funds or keys.':
    'Zahlungen gehen direkt an diese Adressen. Wir verwahren weder Geld noch Schlüssel.',
  'Add a wallet': 'Wallet hinzufügen',
  'You sign in with a wallet, so payouts go only to that wallet, and no one else can redirect them. To use several wallets, sign in by email.':
    'Sie melden sich mit einem Wallet an, also zahlt dieses Konto genau auf dieses Wallet aus und auf kein ' +
    'anderes: Wer nicht damit signieren kann, kann Ihr Geld nicht umleiten. Für mehrere Wallets melden Sie ' +
    'sich per E-Mail an.',
  'No payout wallet yet': 'Noch kein Auszahlungs-Wallet',
  'Add the wallet address where you want to receive payments.':
    'Fügen Sie die Adresse hinzu, auf der das Geld Ihrer Kunden ankommen soll.',
  Default: 'Standard',
  Verified: 'Nachgewiesen',
  Archived: 'Archiviert',
  'Added via API': 'Von einem Schlüssel hinzugefügt',
  'Verify ownership': 'Besitz nachweisen',
  'Make default': 'Zum Standard machen',
  Archive: 'Archivieren',
  'Archive this wallet?': 'Dieses Wallet archivieren?',
  'No new checkouts or links will use it; open checkouts still pay to it. This can’t be undone.':
    'Es nimmt keine neuen Sitzungen und Links mehr an. Offene laufen darauf weiter. Es lässt sich nicht zurückholen.',
  'Endpoint not found in this mode': 'In diesem Modus gibt es diesen Endpunkt nicht',
  'All endpoints': 'Alle Endpunkte',
  Webhooks: 'Webhooks',
  Webhook: 'Webhook',
  'Send test event': 'Test senden',
  'Rotate secret': 'Geheimnis erneuern',
  'Disabled after 6 failed attempts. New events are queued and will be sent when you re-enable it.':
    'Er wurde nach dem sechsten Fehlversuch deaktiviert. Was seither geschah, wartet und wird nach dem ' +
    'Aktivieren gesendet.',
  Events: 'Ereignisse',
  'Last 100 deliveries': 'Letzte hundert',
  '{good} delivered, {bad} failed': '{good} zugestellt, {bad} fehlgeschlagen',
  'Avg. response': 'Antwortzeit',

  'Redeliver all failed': 'Alle fehlgeschlagenen erneut senden',
  'New signing secret': 'Das neue Signaturgeheimnis',
  'Rotate secret?': 'Das Geheimnis erneuern?',
  'Both secrets stay valid for 24 hours so you can switch without missing events.':
    'Einen Tag lang signieren das alte und das neue Geheimnis, damit Sie ohne verlorenen Webhook wechseln können.',
  'Delete this endpoint?': 'Diesen Endpunkt löschen?',
  'Pending events won’t be delivered.': 'Was auf ihn wartet, wird nicht mehr zugestellt.',
  Deliveries: 'Zustellungen',

  'No deliveries': 'Keine Zustellungen',
  'Deliveries appear here with the next payment.': 'Sie erscheinen hier mit der nächsten Zahlung.',
  Event: 'Ereignis',
  Attempts: 'Versuche',
  Response: 'Antwort',
  'Next attempt': 'Nächster Versuch',
  'Sends one signed sample event. No retries.': 'Ein Muster sofort, signiert wie die echten, ohne Wiederholung.',
  'Delivered: the endpoint returned {code}.': 'Zugestellt: Der Endpunkt antwortete {code}.',
  'No response.': 'Es kam keine Antwort.',
  'Not delivered: the endpoint returned {code}.': 'Nicht zugestellt: Der Endpunkt antwortete {code}.',
  Send: 'Senden',
  'Add endpoint': 'Endpunkt hinzufügen',
  'Get signed payment events on your server, with automatic retries.':
    'Signierte Zahlungsereignisse für Ihren Server, mit automatischen Wiederholungen.',
  'No endpoints yet': 'Noch kein Endpunkt',
  'An endpoint is an https URL on your server. Test it here before you go live.':
    'Ein Endpunkt ist eine https-Adresse Ihres Servers. Testen Sie ihn von hier aus, bevor Sie live gehen.',
  'Webhook endpoints': 'Webhook-Endpunkte',
  Address: 'Adresse',
  Health: 'Zustand',
  'No events sent yet': 'Noch nichts gesendet',
  Healthy: 'In Ordnung',
  'no response': 'keine Antwort',
  'Signing secret': 'Das Signaturgeheimnis',
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
    'Ein eigenes Wallet. Eine Börsenadresse schreibt Geld von Fremden mitunter erst nach Tagen gut.',
  Treasury: 'Kasse',
  'Compare the first and last characters with your wallet. Funds sent to a wrong address can’t be recovered.':
    'Vergleichen Sie die ersten und letzten Zeichen mit Ihrem Wallet. Geld an eine falsche Adresse lässt ' +
    'sich nicht zurückholen.',
  'Save wallet': 'Wallet speichern',
  'Your wallet is connected with {address}. Switch it to the account of this payout wallet.':
    'Das Wallet ist mit {address} verbunden. Wählen Sie darin das Konto dieses Auszahlungs-Wallets.',
  'Verify that you own it': 'Besitz nachweisen',
  'Sign this message with the wallet. It costs nothing and moves no funds.':
    'Signieren Sie diesen Text mit dem Wallet. Das kostet nichts und bewegt nichts.',
  'Sign with {wallet}': 'Mit {wallet} signieren',
  'Copy message': 'Text kopieren',
  'Paste a signature': 'Signatur von anderswo',
  Verify: 'Nachweisen',
  'No wallet found in this browser.': 'In diesem Browser wurde kein Wallet gefunden.',
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
    'Im Testmodus ist es {now}. Stellen Sie die Uhr vor: Sitzungen laufen ab und Webhooks werden wiederholt, ' +
    'als wäre die Zeit vergangen.',
  'The test clock can only move forward.': 'Sie geht der echten Zeit voraus und nie zurück.',
  Invitations: 'Einladungen',
  'Each link opens one account on this server.': 'Jeder Link eröffnet ein Konto auf diesem Server.',
  'Create an invitation link': 'Einladungslink erstellen',
  'Leave empty to share the link yourself.': 'Leer lassen, um den Link selbst weiterzugeben.',
  'Valid until {day}': 'Gültig bis {day}',
  Revoke: 'Widerrufen',
  'Delete view {name}': 'Die Ansicht {name} vergessen',
  'Save this view': 'Diese Ansicht speichern',
  'Saved in this browser with all its filters.': 'Sie bleibt in diesem Browser und kommt mit allen Filtern zurück.',
  Steps: 'Schritte',
  'Send a refund': 'Das Geld zurücksenden',
  'Record the refund': 'Die Erstattung erfassen',
  'The funds are in your wallet, so the refund must come from you. Blockchain transfers can’t be reversed.':
    'Das Geld liegt in Ihrem Wallet, also können nur Sie es senden. Was auf einer Blockchain gesendet ist, ' +
    'lässt sich nicht zurücknehmen.',
  'To ({network})': 'An ({network})',
  'Provided by the customer': 'Vom Kunden angegeben',
  'Sender’s address': 'Woher es kam',
  'Sent {amount}': 'Hat {amount} gesendet',
  'Less than 5% of the payment': 'Weniger als 5 % der Zahlung',
  'Looks like another address': 'Ähnelt einer anderen Adresse',
  'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.':
    'Geld von einer Börse kommt von der Adresse der Börse. Fragen Sie den Kunden, bevor Sie es dorthin zurücksenden.',
  'Amount ({asset})': 'Betrag ({asset})',
  'Enter a number such as 12.50.': 'Schreiben Sie den Betrag in Ziffern, mit einem Punkt vor den Nachkommastellen.',
  '{amount} received.': '{amount} kamen an.',
  'I’ve sent it': 'Ich habe es gesendet',
  'A refund of this payment was already sent from this browser. Send another only if that one failed.':
    'Eine Erstattung dieser Zahlung wurde bereits aus diesem Browser gesendet. Senden Sie nur dann eine ' +
    'weitere, wenn diese fehlgeschlagen ist.',
  'Send another refund': 'Weitere Erstattung senden',
  'QR code of the refund for your wallet': 'Die Erstattung als Anfrage an Ihr Wallet',
  'Scan it with the wallet that holds the funds, or send from this browser.':
    'Scannen Sie den Code mit dem Wallet, in dem das Geld liegt, oder senden Sie aus diesem Browser.',
  'Send with {wallet}': 'Mit {wallet} senden',
  'Your wallet is connected with {address}, which isn’t the payout wallet of this payment.':
    'Das Wallet ist mit {address} verbunden; das ist nicht das Auszahlungs-Wallet dieser Zahlung.',
  'Send from it anyway': 'Trotzdem von dort senden',
  'Open in a wallet on this device': 'In einem Wallet auf diesem Gerät öffnen',
  'Test mode: there is nothing to send. Continue and record the refund.':
    'Dies ist der Testmodus: Es gibt nichts zu senden. Erfassen Sie einfach die Erstattung.',
  'Transaction (optional)': 'Transaktion (optional)',
  'We’ll check the transaction on-chain before recording it.':
    'Sie wird auf der Blockchain nachgeschlagen, damit aus einem Tippfehler kein Eintrag wird.',
  'To check it on-chain, go back and enter the recipient’s address.':
    'Gehen Sie zurück und geben Sie die Empfängeradresse an, dann lässt sie sich nachschlagen.',
  'Check transaction': 'Transaktion prüfen',
  'Sent. Waiting for the transaction to appear on-chain…': 'Gesendet. Warten, bis die Blockchain es zeigt …',
  'Record without on-chain confirmation': 'Erfassen, obwohl die Blockchain es noch nicht gezeigt hat',
  'At most {amount}': 'Höchstens {amount}',
  'Reason (optional)': 'Grund (optional)',
  Back: 'Zurück',
  'Found: {amount} to {to}': 'Gefunden: {amount} an {to}',
  'from {address}, not your payout wallet': 'von {address}, nicht Ihrem Auszahlungs-Wallet',
  'We couldn’t find this transaction paying this address. It may be too recent; try again in a minute.':
    'Die Blockchain zeigt nicht, dass diese Transaktion an diese Adresse zahlt. Vielleicht ist sie zu neu; ' +
    'sehen Sie in einer Minute wieder nach.',
  'This transaction failed on-chain. No funds moved.':
    'Diese Transaktion ist auf der Blockchain fehlgeschlagen: Es floss kein Geld.',
  'Test mode has no public blockchain, so this isn’t checked.':
    'Der Testmodus hat keine öffentliche Blockchain, also wird nichts nachgeschlagen.',
  'View details': 'Details ansehen',
  'The customer was asked for {amount} on {network}': 'Der Kunde sollte {amount} auf {network} zahlen',
  '{event} delivered, response {code}': '{event} zugestellt, Antwort {code}',
  '{event} failed on attempt {attempt} ({code})': '{event} bei Versuch {attempt} nicht zugestellt ({code})',
  'A refund was recorded': 'Eine Erstattung wurde erfasst',
  '{amount} was removed by a chain reorganization': '{amount} verschwanden von der Blockchain',
  '{amount} not counted: {reason}': '{amount} wurden nicht gezählt: {reason}',
  'Received {amount}': '{amount} kamen an',
  'Verified by {provider} only: every call to {others} failed for at least ten minutes':
    'Nur {provider} war erreichbar: Jede Anfrage an {others} schlug mindestens zehn Minuten lang fehl',
  'Waiting for more RPC providers to verify it': 'Noch haben es zu wenige RPC-Anbieter bestätigt',
  '{provider} quoted a conversion of {amount}': '{provider} sollte {amount} umwandeln',
  'Create a payment link': 'Zahlungslink erstellen',
  'Add a payout wallet before you create a link.': 'Ein Link braucht zuerst ein Auszahlungs-Wallet.',

  'Workshop seat': 'Platz im Workshop',
  'Payout wallet': 'Auszahlung an',
  More: 'Mehr',
  'Order number (optional)': 'Bestellnummer (optional)',
  'Redirect after payment (optional)': 'Nach der Zahlung weiter zu (optional)',
  Preview: 'Vorschau',
  'You receive 100% when paid in {asset} on {network}; other coins carry a 1.5% fee.':
    'In {asset} auf {network} bezahlt, erhalten Sie alles; mit allem anderen 1,5 % weniger.',
  'Create link': 'Link erstellen',
  'Disabled after 6 failed attempts': 'nach sechs Fehlversuchen deaktiviert',
  'Last attempt failed': 'der letzte Versuch schlug fehl',
  'Added via API in the last 7 days. Archive it if that wasn’t you.':
    'in den letzten sieben Tagen von einem geheimen Schlüssel hinzugefügt; archivieren Sie es, wenn Sie das ' +
    'nicht waren',
  'Needs attention': 'Braucht Aufmerksamkeit',
  'Where customers’ payments are sent directly.': 'Wohin Ihr Geld geht, direkt vom Kunden.',
  'Verify wallet ownership': 'Nachweisen, dass das Wallet Ihnen gehört',
  'One signature, no transaction.': 'Eine Signatur, keine Transaktion.',
  'Pay a test checkout': 'Einen Test bezahlen',
  'Try the full flow without real money.': 'Der ganze Weg, ohne echtes Geld.',
  'Receive a webhook': 'Einen Webhook empfangen',
  'Your server responds with a 2xx status.': 'Ihr Server beantwortet einen mit einem 2xx-Status.',
  'Set your name and support contact': 'Namen und Supportkontakt angeben',
  'Shown to customers at checkout.': 'Kunden sehen sie auf der Bezahlseite.',
  'Create a live key': 'Einen Live-Schlüssel erstellen',
  'Required to accept real payments.': 'Das Letzte vor echten Zahlungen.',
  'Your server still uses a test key; no live key has been used yet. Test payments don’t move real money.':
    'Ihr Server verwendet noch einen Testschlüssel: Noch kein Live-Schlüssel wurde benutzt. Testzahlungen ' +
    'bringen kein Geld.',
  'A live webhook endpoint points to a development machine or tunnel: {url}':
    'Ein Live-Endpunkt für Webhooks zeigt auf einen Entwicklerrechner oder einen Tunnel: {url}',
  'Get started': 'Erste Schritte',
  '{done} of {all}': '{done} von {all}',
  '{done} of {all} sent': '{done} von {all} gesendet',
  Hide: 'Ausblenden',
  done: 'erledigt',
  'Copy {text}': '{text} kopieren',
  Copied: 'Kopiert',
  'Something went wrong.': 'Etwas ist schiefgegangen.',
  'Try again': 'Erneut versuchen',
  Loading: 'Wird geladen',
  Close: 'Schließen',
  routed: 'umgewandelt',
  'Copy it now. You won’t be able to see it again.':
    'Jetzt kopieren: Es wird nur dieses eine Mal gezeigt und nirgends lesbar aufbewahrt.',
  'Copy secret': 'Geheimnis kopieren',
  'As an environment variable': 'Als Zeile für Ihre Umgebung',
  'Verify a webhook': 'Einen Webhook prüfen',
  'I’ve saved it': 'Ich habe es verwahrt',
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
    'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'Your session expired. Sign in again.': 'Sie sind nicht mehr angemeldet.',
  'This code is wrong or has expired.': 'Dieser Code ist falsch oder abgelaufen.',
  'This server does not accept new accounts.': 'Dieser Server nimmt keine neuen Konten an.',
  'This invitation is no longer valid.': 'Diese Einladung ist nicht mehr gültig.',
  'Invalid signature.': 'Die Signatur passt nicht.',
  'This address can’t be used.': 'Diese Adresse kann nicht verwendet werden.',
  'This action isn’t allowed in the payment’s current status.': 'Im jetzigen Zustand lässt die Zahlung das nicht zu.',
  'This refund can’t be recorded.': 'Diese Erstattung kann nicht erfasst werden.',
  'You don’t have permission for this action.': 'Das ist hier nicht erlaubt.',
  'Not found in this mode.': 'Das gibt es nicht, oder nicht in diesem Modus.',
  'Too many requests. Wait a moment and try again.':
    'Zu viele Anfragen auf einmal. Warten Sie einen Moment und versuchen Sie es erneut.',
  'Temporarily unavailable. Try again in a moment.':
    'Das ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  'Something went wrong on the server. Include the request ID when you report it.':
    'Bei uns ist etwas schiefgegangen. Die Anfrage-ID hilft, es zu finden.',
  'You’ve already saved this address for this asset.':
    'Sie haben diese Adresse für diesen Wert schon gespeichert. Eine zweite wäre nur ein zweiter Name dafür.',
  'You’ve already saved this address for a different asset or network. That’s fine if it’s intended.':
    'Sie haben diese Adresse für einen anderen Wert oder ein anderes Netzwerk gespeichert. Das ist in ' +
    'Ordnung, wenn es gewollt ist.',
  'Another account has also saved this address. Verify ownership, or you can’t assign its unattributed transfers.':
    'Auch ein anderes Konto hat diese Adresse gespeichert. Weisen Sie nach, dass sie Ihnen gehört, sonst ' +
    'lässt sich Geld ohne Zahlung nicht zuordnen.',
  'This address is a contract, not a regular wallet. That’s fine for a smart wallet or multisig on this network; otherwise funds sent there may be lost.':
    'An dieser Adresse liegt ein Vertrag, kein gewöhnliches Wallet. Das ist richtig für ein Smart Wallet ' +
    'oder einen Multisignatur-Tresor auf genau diesem Netzwerk; sonst kann dorthin gesendetes Geld verloren ' +
    'sein.',
  'This address sent less than this amount to the payment. Ask the customer before you send more than it sent.':
    'Diese Adresse hat weniger als diesen Betrag zur Zahlung gesendet. Fragen Sie den Kunden, bevor Sie mehr ' +
    'senden, als von dort kam.',
  'This address sent less than 5% of the payment. A stranger can do that to appear in this list.':
    'Diese Adresse hat weniger als 5 % der Zahlung gesendet. Das kann ein Fremder tun, um hier zu erscheinen.',
  'This address starts and ends like another address of this payment, but it’s different. Compare every character.':
    'Diese Adresse beginnt und endet wie eine andere Adresse dieser Zahlung, ist aber eine andere. ' +
    'Vergleichen Sie jedes Zeichen.',
  'This address didn’t send anything to this payment. Compare every character with the address the customer gave you.':
    'Diese Adresse hat nichts zu dieser Zahlung gesendet. Vergleichen Sie jedes Zeichen mit dem, was der ' +
    'Kunde Ihnen genannt hat.',
  'This address is a program, not a wallet. Funds sent there are most likely lost.':
    'An dieser Adresse liegt ein Programm, kein Wallet. Dorthin gesendetes Geld ist höchstwahrscheinlich verloren.',
  'The network is unavailable, so we couldn’t check whether this address is a contract.':
    'Das Netzwerk hat nicht geantwortet; ob an dieser Adresse ein Vertrag liegt, ist nicht bekannt.',
  'Underpaid: the customer sent less than the total before it expired.':
    'Unterzahlt: Bis zum Ablauf ist weniger als der Gesamtbetrag eingegangen.',
  'Received after the checkout expired.': 'Erst nach Ablauf des Bezahlvorgangs eingegangen.',
  'Received after the quote expired, and no reliable rate was available.':
    'Erst nach Ablauf des Angebots eingegangen, und es gab keinen verlässlichen Kurs.',
  'The balance increased, but no transaction shows who sent the funds.':
    'Das Guthaben ist gestiegen, aber keine Transaktion zeigt, wer das Geld gesendet hat.',
  'The transaction was reverted.': 'Die Transaktion ist auf der Blockchain fehlgeschlagen.',
  'The conversion failed and the provider returned the funds to the customer.':
    'Die Umwandlung ist fehlgeschlagen. Der Anbieter hat das Geld an den Kunden zurückgesendet.',
  'The conversion failed and the provider still holds the funds.':
    'Die Umwandlung ist fehlgeschlagen. Das Geld ist noch beim Anbieter.',
  'The conversion quote had expired.': 'Das Angebot für die Umwandlung war abgelaufen.',
  'The conversion delivered less than quoted.': 'Die Umwandlung hat weniger geliefert als angeboten.',
  'The provider is holding the funds for a compliance review.': 'Der Anbieter hält das Geld für eine Prüfung zurück.',
  'No matching payment': 'Keine offene Zahlung passt',
  'Payment already paid': 'Die Zahlung war schon bezahlt',
  'Payment already refunded': 'Die Zahlung war schon erstattet',
  'Wrong asset': 'Ein anderer Wert als verlangt',
  'Wrong network': 'Ein anderes Netzwerk als verlangt',
  'Below the minimum': 'Unter dem Mindestbetrag',
  'Accept it or refund it.': 'Nehmen Sie sie an oder geben Sie das Geld zurück.',
  'Check “{label}”.': 'Prüfen Sie „{label}“.',
  'The server rejected this request.': 'Der Dienst hat das abgelehnt.',
  'Your wallet is still on a different network. Switch it and try again.':
    'Das Wallet blieb in einem anderen Netzwerk. Wechseln Sie es dort und versuchen Sie es erneut.',
  'You rejected the request in your wallet. Nothing was sent.':
    'Sie haben im Wallet abgelehnt. Es wurde nichts gesendet.',
  'Your wallet has another pending request. Complete it first.':
    'Im Wallet ist noch eine Anfrage offen. Beantworten Sie diese zuerst.',
  'This network isn’t set up in your wallet. Add it and try again.':
    'Das Wallet kennt dieses Netzwerk nicht. Fügen Sie es dort hinzu und versuchen Sie es erneut.',
  'Your wallet couldn’t complete the request. Check your wallet before you try again.':
    'Das Wallet konnte das nicht. Sehen Sie dort nach, bevor Sie es erneut versuchen.',
  Delivered: 'Zugestellt',
  Failed: 'Fehlgeschlagen',
  Parked: 'Zurückgestellt',
  Cancelled: 'Verworfen',
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
  'The transfer that paid it disappeared from the blockchain. Wait before you ship.':
    'Die Überweisung, die sie bezahlt hat, ist von der Blockchain verschwunden. Warten Sie mit dem Versand.',
  'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.':
    'Wir konnten diese Transaktion nicht speichern. Sehen Sie sie im Explorer nach und senden Sie ihren Hash ' +
    'an den Betreiber dieses Servers.',
  'We could not process this transfer automatically. Assign it to a payment or mark it as handled.':
    'Wir konnten diese Überweisung nicht automatisch verarbeiten. Ordnen Sie sie einer Zahlung zu oder ' +
    'markieren Sie sie als erledigt.',
  'This address receives more transfers than we list for an unverified wallet. Payments with an exact amount or a reference are found as usual. Verify ownership of the address to list every transfer.':
    'Diese Adresse empfängt mehr Überweisungen, als wir für ein unbestätigtes Wallet auflisten. Zahlungen ' +
    'mit exaktem Betrag oder Referenz werden wie gewohnt gefunden. Weisen Sie nach, dass die Adresse Ihnen ' +
    'gehört, um jede Überweisung aufzulisten.',
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
    'Auch ein Hardware-Wallet, ein anderes Gerät oder ein Contract-Wallet kann signieren. Fügen Sie die Signatur ein.',
  'Released from another account': 'Von einem anderen Konto zurückgeholt',
  'Taken by another account': 'Von einem anderen Konto verwendet',
  Release: 'Zurückholen',
  'Release this transfer?': 'Diesen Transfer zurückholen?',
  'The other account’s payment loses this money, and its merchant is notified. You can assign the transfer afterwards.':
    'Die Zahlung des anderen Kontos verliert dieses Geld, und dessen Händler wird benachrichtigt. Danach ' +
    'können Sie den Transfer zuordnen.',
  'The owner of the wallet address released the transfer.':
    'Der Eigentümer der Wallet-Adresse hat das Geld zurückgeholt.',
  'Only these': 'Nur diese',
  'Keyboard shortcuts': 'Tastenkürzel',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'Search by order, amount, email, payment ID, transaction or address':
    'Nach Bestellung, Betrag, E-Mail, Zahlungs-ID, Transaktion oder Adresse suchen',
  'Any time': 'Jederzeit',
  'Searches exact IDs, amounts, emails, hashes and addresses, or the start of an order number, in this mode.':
    'Sucht in diesem Modus nach genauen IDs, Beträgen, E-Mails, Hashes und Adressen oder dem Anfang einer ' +
    'Bestellnummer.',
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
  Money: 'Geld',
  'compared with the {count} days before': {
    one: 'gegenüber dem Tag davor',
    other: 'gegenüber den {count} Tagen davor',
  },
  'Customer not found in this mode': 'In diesem Modus gibt es diesen Kunden nicht',
  Customers: 'Kunden',
  Customer: 'Kunde',
  Reference: 'Referenz',
  Total: 'Summe',
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
    'Solange Sie nicht bestätigt haben, dass diese Wallet Ihnen gehört, zahlen Kunden nur aus einer verbundenen Wallet: kein QR-Code, keine Börse.',
  'To the customer’s email address, once the payment is paid. In live mode only for payments to a verified payout wallet, in test mode only to your own address.':
    'An die E-Mail-Adresse des Kunden, sobald die Zahlung bezahlt ist. Im Live-Modus nur für Zahlungen an eine bestätigte Auszahlungs-Wallet, im Testmodus nur an Ihre eigene Adresse.',
} satisfies Catalog;
