import type { Catalog } from './messages.ts';

/** German. */
export default {
  title: '{merchant} bezahlen',
  merchant_fallback: 'der Händler',
  language: 'Sprache',
  you_are_on: 'Sie sind auf {host}. Zahlungsempfänger: {merchant}.',
  you_paid_on: 'Bezahlt an {merchant} auf {host}',
  powered: 'Mit Quittance direkt in die eigene Wallet des Händlers bezahlt',
  details: 'Details',
  total: 'Summe',
  estimate: 'Ungefähr in Ihrer Währung',
  not_itemized: 'Nicht aufgeschlüsselt',
  close: 'Schließen',

  test_banner: 'Testmodus. Es fließt kein echtes Geld.',
  test_bar_title: 'Test-Wallet',
  test_bar_text: 'Simulieren Sie Kunde und Netzwerk. Nur im Testmodus sichtbar.',
  test_no_real_money: 'Senden Sie kein echtes Geld: Dieser Test kann es nicht empfangen.',
  test_address:
    'Diese Adresse lässt sich nicht kopieren: Sie ist echt, und Geld, das dorthin geht, bezahlt diesen Test nicht.',
  test_paid: 'Genauen Betrag zahlen',
  test_unconfirmed: 'Senden, unbestätigt',
  test_underpaid: 'Zu wenig bezahlen',
  test_overpaid: 'Zu viel bezahlen',
  test_late: 'Zu spät bezahlen',
  test_failed: 'Zahlung fehlschlagen lassen',
  test_refund_required: 'Hängengebliebene Zahlung simulieren',
  test_add_block: 'Block hinzufügen',
  test_expire: 'Jetzt ablaufen lassen',

  offline: 'Die Verbindung ist unterbrochen. Wir versuchen es weiter; nichts, was Sie gesendet haben, geht verloren.',
  tampered:
    'Etwas auf diesem Gerät hat die Zahlungsangaben auf dieser Seite verändert. Bezahlen Sie hier nicht. Verwenden Sie einen anderen Browser oder ein anderes Gerät.',

  choose_title: 'Wie möchten Sie bezahlen?',
  choose_legend: 'Coin',
  network_legend: 'Netzwerk',
  recommended: 'Empfohlen',
  no_conversion: 'ohne Umwandlung',
  conversion_note:
    'Wird automatisch umgewandelt. Die Kosten der Umwandlung, meist 1–4 %, stecken im genauen Betrag, den Sie vor dem Bezahlen sehen.',
  all_coins: 'Alle Coins',
  search: 'Coin oder Netzwerk suchen',
  nothing_found: 'Nichts gefunden. Angenommen werden: {coins}.',
  unavailable: 'Derzeit nicht verfügbar',
  only_direct_reachable: 'Andere Coins sind vorübergehend nicht verfügbar. Mit diesem können Sie weiterhin bezahlen.',
  nothing_reachable: 'Derzeit ist keine Zahlungsart erreichbar. Diese Seite prüft es von selbst erneut.',
  continue: 'Weiter',
  continue_with: 'Weiter mit {asset} auf {network}',
  on_network: 'auf {network}',
  estimates_note: 'Geschätzte Beträge und Zeiten. Ihre Wallet rechnet die Netzwerkgebühr hinzu.',
  network_fee_note: 'Ihre Wallet rechnet die Netzwerkgebühr hinzu.',
  cancel: 'Abbrechen',
  from_exchange: 'Ich zahle von einer Börse',
  exchange_next: 'Als Nächstes zeigen wir, was Sie bei Ihrer Börse eingeben.',
  exchange_converted:
    '{asset} wird umgewandelt. Schlägt das fehl, geht es an Ihre eigene Wallet zurück, nach deren Adresse wir gleich fragen.',

  refund_title: 'Wohin soll eine Erstattung gehen?',
  refund_why:
    'Ihre Zahlung in {asset} wird unterwegs umgewandelt. Schlägt die Umwandlung fehl, wird sie an diese Adresse zurückgesendet.',
  refund_own: 'Verwenden Sie eine Adresse Ihrer eigenen Wallet. Bei Börsen gehen Erstattungen oft verloren.',
  refund_label: 'Ihre {asset}-Adresse auf {network}',
  refund_paste: 'Einfügen',
  refund_use_wallet: 'Adresse aus {wallet} verwenden',
  refund_none: 'Keine eigene Wallet? Zahlen Sie mit {asset} auf {network}, das braucht keine Erstattungsadresse.',
  refund_to: 'Erstattungsadresse',
  back: 'Zurück',

  send_title: '{amount} {asset} senden',
  send_exactly: 'Genauer Betrag',
  send_by_wallet: 'Zahlen Sie mit einer Wallet, die Sie hier verbinden. Eine Überweisung von Hand würde nicht erkannt.',
  send_with_reference:
    'Scannen Sie den Code oder geben Sie die Referenz an: Ohne sie wird eine Überweisung nicht erkannt.',
  send_with_memo:
    'Geben Sie dieses Memo in der Überweisung an, oder zahlen Sie mit einer hier verbundenen Wallet: Ohne das Memo wird eine Überweisung nicht erkannt.',
  to_address: 'An diese Adresse',
  reference: 'Referenz',
  memo: 'Memo',
  network_only: 'Senden Sie nur {asset} auf {network}. Alles andere kann verloren gehen.',
  why_amount: 'Warum {amount}?',
  why_amount_cent:
    'Die zusätzlichen {extra} {asset} sind weniger als einen Cent wert. Sie sind keine Gebühr: Der Händler erhält sie, und sie ordnen Ihre Überweisung dieser Bestellung zu.',
  why_amount_extra:
    'Die zusätzlichen {extra} {asset} sind keine Gebühr: Der Händler erhält sie, und sie ordnen Ihre Überweisung dieser Bestellung zu.',
  why_amount_digits:
    'Die letzten Ziffern sind keine Gebühr: Der Händler erhält sie, und sie ordnen Ihre Überweisung dieser Bestellung zu.',
  why_amount_rounded:
    'Auch ein gerundeter Betrag kommt beim Händler an, wird aber nicht automatisch zugeordnet. Nutzen Sie dann unten „Haben Sie schon gesendet?“.',
  copy_amount: 'Betrag kopieren',
  copy_address: 'Adresse kopieren',
  copy_reference: 'Referenz kopieren',
  copy: 'Kopieren',
  copied: 'Kopiert',
  rate: '1 {asset} = {price} {currency}',
  rate_renews: 'Dieser Betrag wird in {time} erneuert',
  rate_changed: 'Der Kurs hat sich geändert: Der Betrag ist jetzt {amount} {asset}.',
  fee_service: 'Servicegebühr',
  fee_service_merchant: '1,5 %, trägt der Händler',
  fee_network: 'Netzwerkgebühr',
  fee_network_wallet: 'Wird von Ihrer Wallet hinzugefügt',
  fee_conversion: 'Umwandlung',
  fee_conversion_included: 'etwa {amount} {asset}, enthalten',
  converted_by: 'Umgewandelt durch',
  price_warning:
    'Diese Umwandlung kostet etwa {percent} % mehr, als die Coins wert sind. Mit einem anderen Coin ist es vielleicht günstiger.',
  qr_alt: 'QR-Code zum Bezahlen von {amount} {asset} auf {network} an {address}',
  qr_alt_address: 'QR-Code der Adresse {address}; geben Sie {amount} {asset} auf {network} selbst ein',
  qr_mode: 'Was der QR-Code enthält',
  qr_full: 'Mit Betrag',
  qr_address: 'Nur Adresse',
  qr_transfer: 'Andere Wallets',
  qr_enlarge: 'QR-Code vergrößern',
  open_wallet: 'In einer Wallet-App öffnen',
  open_page_in: 'Oder diese Seite öffnen in',
  choose_another: 'Mit einem anderen Coin bezahlen',
  exchange_title: 'Bezahlen Sie von einer Börse aus?',
  exchange_arrives:
    'Es müssen genau {amount} {asset} ankommen. Börsen ziehen ihre Gebühr vom eingegebenen Betrag ab; rechnen Sie sie daher hinzu.',
  exchange_digits:
    'Geben Sie jede Stelle ein. Rundet Ihre Börse den Betrag, fügen Sie danach unter „{sent}“ den Transaktions-Hash ein.',
  exchange_round_up:
    'Nimmt Ihre Börse weniger Stellen an, runden Sie auf. Mit weniger kann die Umwandlung fehlschlagen.',
  exchange_network: 'Wählen Sie das Netzwerk {network}. Andere Namen dafür: {names}.',
  exchange_memo: 'Diese Adresse braucht kein Memo und keinen Tag. Lassen Sie das Feld leer.',
  exchange_slow: 'Bei Börsen kann das Senden eine Weile dauern. Beginnen Sie nur, wenn noch genug Zeit bleibt.',
  exchange_fee: 'Auszahlungsgebühr Ihrer Börse, falls sie abgezogen wird',
  exchange_fee_wrong: 'Geben Sie eine Zahl ein, etwa 1,5.',
  exchange_enter: 'Geben Sie bei der Börse {total} {asset} ein: {amount} {asset} kommen an.',
  phone_title: 'Auf dem Smartphone fortfahren',
  phone_text: 'Scannen Sie dies mit der Kamera Ihres Smartphones. Beide Seiten verfolgen dieselbe Zahlung.',
  phone_alt: 'QR-Code der Adresse dieser Seite',
  expires_in: 'Restzeit: {time}',
  announce_minutes: { one: 'Noch {count} Minute zum Bezahlen', other: 'Noch {count} Minuten zum Bezahlen' },
  waiting: 'Warten auf Ihre Zahlung',
  waiting_sent: 'Warten auf das Netzwerk',
  waiting_rest: 'Warten auf den Rest',
  waiting_hint: 'Diese Seite aktualisiert sich automatisch. Sie können sie nach dem Senden schließen.',
  top_up_title: 'Ein Teil fehlt noch',
  top_up_text:
    '{seen} von {amount} {asset} sind angekommen. Senden Sie den Rest an dieselbe Adresse, bevor die Zeit abläuft.',
  top_up_otherwise:
    'Kommt der Rest nicht rechtzeitig an, entscheidet der Händler, ob er das Gesendete annimmt oder zurücksendet.',
  top_up_returned:
    'Kommt der Rest nicht rechtzeitig an, sendet der Umwandlungsdienst das Gesendete an Ihre Erstattungsadresse zurück.',
  top_up_amount: 'Noch zu senden',

  wallet_pay_with: 'Mit {wallet} bezahlen',
  wallet_detected: 'Wallets in diesem Browser',
  wallet_or: 'oder selbst senden',
  wallet_connecting: 'Öffnen Sie {wallet} und erlauben Sie dieser Seite die Verbindung.',
  wallet_network: 'Stellen Sie {wallet} auf {network} um.',
  wallet_scan:
    'Scannen Sie diesen Code mit einer Wallet-App, die WalletConnect kann, und bestätigen Sie die Zahlung dort.',
  wallet_checking: 'Ihr Guthaben wird geprüft…',
  wallet_confirm: 'Bestätigen Sie die Zahlung in {wallet}.',
  wallet_signing: 'Signieren Sie die Nachricht in {wallet}.',
  wallet_sent: 'Gesendet',
  wallet_sent_text:
    'Ihre Wallet hat die Zahlung gesendet. Das Netzwerk zeigt sie gleich an; Sie können diese Seite schließen.',
  wallet_not_sent: 'Meine Wallet zeigt, dass nichts gesendet wurde',
  wallet_not_sent_check:
    'Sehen Sie sich zuerst diese Transaktion an. Wenn sie unterwegs oder bestätigt ist, zahlen Sie nicht noch einmal.',
  wallet_rejected: 'Sie haben in der Wallet abgelehnt. Es wurde nichts gesendet.',
  wallet_busy:
    'In der Wallet ist noch eine andere Anfrage offen. Öffnen Sie die Wallet, beantworten Sie die Anfrage und versuchen Sie es erneut.',
  wallet_locked: 'Die Wallet hat kein Konto freigegeben. Entsperren Sie sie und versuchen Sie es erneut.',
  wallet_no_network:
    'Die Wallet kennt {network} nicht. Fügen Sie das Netzwerk in der Wallet hinzu und versuchen Sie es erneut.',
  wallet_wrong_network:
    'Die Wallet ist auf einem anderen Netzwerk geblieben. Stellen Sie sie auf {network} um und versuchen Sie es erneut.',
  wallet_low_balance: 'Dieses Konto enthält {balance} {asset}; benötigt werden {amount} {asset}.',
  wallet_low_balance_short:
    'Dieses Konto kann nicht mit {asset} bezahlen: Es enthält zu wenig davon oder hat nie welche enthalten.',
  wallet_low_gas: 'Dieses Konto enthält zu wenig {coin} für die Netzwerkgebühr.',
  wallet_would_fail: 'Das Netzwerk würde diese Zahlung ablehnen, daher wurde sie nicht gesendet.',
  wallet_unknown:
    'Die Wallet hat nicht geantwortet. Sehen Sie in der Wallet nach, ob gesendet wurde, bevor Sie es erneut versuchen.',
  wallet_failed: 'Die Wallet konnte das nicht ausführen. Es wurde nichts gesendet.',
  wallet_wrong_sender: 'Die Wallet hat mit einem Konto signiert, das diese Transaktion nicht gesendet hat.',
  gasless_pay: 'Mit {wallet} zahlen, ohne Netzwerkgebühr',
  gasless_text:
    'Sie signieren eine Nachricht. Sie zahlt {amount} {asset} auf {network} und kann nichts anderes bewegen. Die Zahlung geht an',
  gasless_fee_note: 'Wenn Sie den Betrag selbst senden, rechnet Ihre Wallet die Netzwerkgebühr hinzu.',
  gasless_sending: 'Signiert. Ihre Zahlung wird gesendet …',
  gasless_sent: 'Ihre signierte Zahlung wird gesendet. Zahlen Sie nicht noch einmal. Sie können diese Seite schließen.',
  gasless_expired:
    'Ihre signierte Zahlung wurde nicht rechtzeitig gesendet und kann nicht mehr gesendet werden. Es wurde nichts bezahlt. Versuchen Sie es erneut oder senden Sie den Betrag selbst.',
  gasless_refused:
    'Die Signatur wurde nicht angenommen, und es wurde nichts gesendet. Versuchen Sie es erneut oder senden Sie den Betrag selbst.',

  sent_title: 'Haben Sie schon gesendet?',
  sent_text: 'Fügen Sie den Transaktions-Hash ein, und wir suchen sofort danach.',
  sent_sign_text:
    'Lässt sich die Zahlung nicht von anderen unterscheiden, signieren Sie mit der Wallet, die sie gesendet hat.',
  sent_sign: 'Mit {wallet} signieren',
  transaction_hash: 'Transaktions-Hash',
  submit_hash: 'Suchen',
  hash_submitted: 'Vielen Dank. Wir suchen diese Transaktion; diese Seite ändert sich, sobald sie gefunden ist.',

  progress_steps: 'Fortschritt',
  step_seen: 'Im Netzwerk erkannt',
  step_confirming: 'Wird bestätigt',
  step_converting: 'Wird umgewandelt',
  step_delivering: 'Unterwegs zum Händler',
  step_paid: 'Bezahlt',
  confirming_title: 'Zahlung erkannt',
  confirming_text: { one: '{have} von {count} Bestätigung', other: '{have} von {count} Bestätigungen' },
  confirming_wait: 'Das Netzwerk bestätigt Ihre Zahlung.',
  about_seconds: { one: 'etwa {count} Sekunde', other: 'etwa {count} Sekunden' },
  about_minutes: { one: 'etwa {count} Minute', other: 'etwa {count} Minuten' },
  may_close: 'Sie können diese Seite schließen; nichts geht verloren.',
  converting_title: 'Ihre Zahlung wird umgewandelt',
  converting_text: 'Ihre Zahlung in {asset} ist angekommen und wird umgewandelt. Das dauert meist einige Minuten.',
  delivering_title: 'Fast geschafft',
  delivering_text: 'Der umgewandelte Betrag ist auf dem Weg zum Händler.',

  paid_title: 'Bezahlt',
  paid_text: '{merchant} hat Ihre Zahlung erhalten. Vielen Dank.',
  paid_over:
    'Sie haben {surplus} {asset} zu viel gesendet. Wenden Sie sich an {merchant}, wenn Sie den Betrag zurückhaben möchten.',
  paid_over_converted:
    'Sie haben {surplus} {asset} zu viel gesendet. Der Umwandlungsdienst sendet den Betrag an Ihre Erstattungsadresse zurück.',
  refund_preparing: '{merchant} bereitet eine Erstattung von {amount} {asset} vor.',
  refund_on_its_way: 'Eine Erstattung von {amount} {asset} ist zu Ihnen unterwegs.',
  paid_return: 'Zurück zu {merchant}',
  paid_returning: {
    one: 'Sie werden in {count} Sekunde zurückgeleitet.',
    other: 'Sie werden in {count} Sekunden zurückgeleitet.',
  },
  paid_stay: 'Hier bleiben',
  receipt: 'Beleg',
  receipt_title: 'Beleg',
  print: 'Drucken oder als PDF speichern',
  receipt_link: 'Dieser Beleg bleibt unter dieser Adresse.',
  receipt_signed: 'Für Prüfer: der signierte Beleg',
  closing_title: 'Die Zeit ist abgelaufen',
  closing_text:
    'Senden Sie jetzt nichts mehr. Wir prüfen noch, ob rechtzeitig eine Zahlung gesendet wurde; diese Seite zeigt das Ergebnis.',
  expired_title: 'Die Zeit ist abgelaufen',
  expired_text: 'Zu dieser Bestellung wurde keine Zahlung gefunden.',
  expired_sought:
    'Ihre Transaktion wurde bisher nicht als Zahlung für diese Bestellung erkannt. Wir suchen weiter. Wenn sie unterwegs oder bestätigt ist, zahlen Sie nicht noch einmal: Kontaktieren Sie den Händler.',
  expired_returning:
    'Der Umwandlungsdienst sendet Ihre Zahlung in {asset} an Ihre Erstattungsadresse zurück. Diese Seite zeigt, wenn das geschehen ist.',
  expired_returned: 'Ihre Zahlung in {asset} wurde an Ihre Erstattungsadresse zurückgesendet.',
  retried_text: 'Sie haben diese Bestellung in einem neuen Bezahlvorgang fortgesetzt.',
  retried_open: 'Neuen Bezahlvorgang öffnen',
  retried_paid: 'Diese Bestellung wurde im neuen Bezahlvorgang bezahlt.',
  earlier_arrived:
    'Im früheren Bezahlvorgang dieser Bestellung ist Geld von Ihnen angekommen. Zahlen Sie nicht noch einmal, bevor Sie dort nachgesehen haben.',
  earlier_named:
    'Im früheren Bezahlvorgang dieser Bestellung haben Sie eine Transaktion genannt. Zahlen Sie nicht noch einmal, bevor Sie dort nachgesehen haben.',
  earlier_open: 'Früheren Bezahlvorgang öffnen',
  start_again: 'Neu beginnen',
  failed_title: 'Die Zahlung ist fehlgeschlagen',
  failed_returned:
    'Die Umwandlung konnte nicht abgeschlossen werden, und Ihre Zahlung in {asset} wurde an Ihre Erstattungsadresse zurückgesendet.',
  failed_short:
    'Sie haben zu wenig für die Umwandlung gesendet, deshalb wurde Ihre Zahlung in {asset} an Ihre Erstattungsadresse zurückgesendet.',
  failed_reverted:
    'Das Netzwerk hat die Transaktion abgelehnt, es wurde nichts bezahlt. Nur die Netzwerkgebühr wurde ausgegeben.',
  failed_released:
    'Die Wallet, an die Sie gezahlt haben, gehört nicht diesem Händler. Fragen Sie den Händler, bevor Sie erneut zahlen.',
  failed_text: 'Der Händler hat keine Zahlung erhalten. Sie können neu beginnen.',
  refund_required_title: 'Ihr Geld ist angekommen, aber die Bestellung konnte nicht abgeschlossen werden',
  refund_required_underpaid: 'Es ist weniger angekommen, als die Bestellung verlangt, und die Zeit ist abgelaufen.',
  refund_required_paid_late: 'Ihre Zahlung ist nach Ablauf der Zeit angekommen.',
  refund_required_rate_unknown: 'Ihre Zahlung ist angekommen, als kein verlässlicher Kurs bekannt war.',
  refund_required_untraced_transfer:
    'Ihre Zahlung ist auf eine Weise angekommen, die sich keiner Transaktion zuordnen ließ.',
  refund_required_short_delivery: 'Die Umwandlung hat weniger ergeben, als die Bestellung verlangt.',
  refund_required_route: 'Die Umwandlung konnte nicht abgeschlossen werden und wird untersucht.',
  refund_required_compliance_hold: 'Der Umwandlungsdienst hält die Zahlung für eine Prüfung zurück.',
  refund_required_at_merchant:
    'Das Geld ist in der Wallet des Händlers. Bitten Sie den Händler, es anzunehmen oder zurückzusenden.',
  refund_required_at_provider:
    'Das Geld ist beim Umwandlungsdienst. Fragen Sie den Händler, wie es weitergeht; bewahren Sie diese Seite auf.',
  held_by: 'Verwahrt von',
  provider_order: 'Auftrag beim Anbieter',
  provider_help: 'Hilfe von {provider}',
  refunded_title: 'Erstattet',
  overpaid: 'Zu viel gezahlt',
  refunded_part: '{part} von {amount}',
  refunded_text: 'Der Händler hat eine Erstattung erfasst. Sie wurde aus seiner eigenen Wallet gesendet.',
  refunded_recorded:
    'Der Händler hat eine Erstattung erfasst. Wenn Sie das Geld nicht zurückhaben, fragen Sie den Händler.',
  refunded_at_provider: 'Das Geld hat die Wallet des Händlers nie erreicht. Es war beim Umwandlungsdienst.',
  refund_ask_title: 'Ihre Erstattung von {amount}',
  refund_ask_text: '{merchant} sendet Ihnen {amount} {asset} auf {network}. Sagen Sie, wohin es gehen soll.',
  refund_ask_sign:
    'Signieren Sie eine Nachricht mit der Wallet, aus der Sie gezahlt haben, dann geht die Erstattung dorthin. Eine Signatur bewegt kein Geld.',
  refund_ask_enter: 'Oder eine Adresse eingeben',
  refund_ask_check: 'Prüfen Sie die Adresse: Geld, das an eine falsche geht, ist verloren. Sie können nur eine nennen.',
  refund_ask_submit: 'Diese Adresse senden',
  refund_review_title: 'Stimmt diese Adresse?',
  refund_review_change: 'Ändern',
  refund_ask_until: 'Sie können einmal antworten, bis {time}.',
  refund_named_title: 'Wir haben Ihre Adresse',
  refund_named_text:
    '{merchant} prüft sie, bevor die Erstattung gesendet wird. Melden Sie sich dort, wenn es nicht Ihre ist.',
  refund_planned_text: '{merchant} sendet die Erstattung aus der eigenen Wallet an diese Adresse.',
  refund_follow: 'Bewahren Sie diesen Link auf: Er zeigt, wann die Erstattung gesendet wird.',
  refund_sent_text: 'Die Erstattung wurde gesendet und wird bestätigt.',
  refund_returned_text: 'Die Erstattung ist an dieser Adresse angekommen.',
  refund_closed_title: 'Dieser Link gilt nicht mehr',
  refund_closed_text:
    'Er ist abgelaufen, oder der Händler hat die Erstattung zurückgezogen. Bitten Sie um einen neuen Link.',
  refund_used: 'Dieser Link wurde schon benutzt. Nur die Adresse unten zählt.',
  refund_wrong_wallet:
    'Diese Wallet hat nicht gezahlt, oder nicht so viel. Signieren Sie mit der Wallet, aus der Sie gezahlt haben, oder geben Sie eine Adresse ein.',
  refund_wrong_recipient:
    'An diese Adresse kann nichts erstattet werden. Geben Sie eine Adresse Ihrer eigenen Wallet ein.',
  refund_goes_to: 'Erstattung geht an',
  other_transfer_title: 'Etwas anderes ist angekommen',
  other_transfer_asset:
    '{amount} {asset} auf {network} sind in der Wallet des Händlers angekommen. Diese Bestellung verlangt etwas anderes, daher zählt das nicht. Bitten Sie den Händler um Erstattung. Der Händler sieht das ebenfalls.',
  other_transfer_named:
    'Ihre Überweisung von {amount} {asset} ist angekommen, lässt sich dieser Bestellung aber nicht automatisch zuordnen. Zahlen Sie nicht noch einmal: Bitten Sie den Händler, sie zuzuordnen.',
  other_transfer_extra:
    '{amount} {asset} sind außerdem angekommen und zählen nicht für diese Bestellung. Bitten Sie den Händler um Erstattung.',
  received: 'Erhalten',
  keep_page:
    'Zahlen Sie nicht noch einmal. Bewahren Sie die Adresse dieser Seite auf: Sie zeigt, was aus Ihrer Zahlung wird.',
  contact: '{merchant} kontaktieren',
  contact_subject: 'Zahlung {session}',
  contact_none: 'Schreiben Sie dem Shop, in dem Sie bestellt haben, und senden Sie die Adresse dieser Seite mit.',
  back_to_shop: 'Zurück zum Shop',
  transactions: 'Transaktionen',
  transactions_delivered: 'Beim Händler angekommen auf {network}',

  status_region: 'Status',
  amount_label: 'Betrag',
  paid_with: 'Bezahlt mit',
  paid_to: 'Bezahlt an',
  paid_at: 'Bezahlt am',
  exchange_rate: 'Wechselkurs',
  order_number: 'Bestellung',
  receipt_number: 'Belegnummer',
  receipt_qr_alt: 'QR-Code der Adresse dieses Belegs',

  link_open: 'Weiter zur Zahlung',
  link_note: 'Wie Sie bezahlen, wählen Sie auf der nächsten Seite.',
  link_amount: 'Betrag in {currency}',
  link_range: '{min} bis {max}',
  link_least: 'Mindestens {min} {currency}',
  link_name: 'Ihr Name',
  link_email: 'Ihre E-Mail-Adresse',
  link_message: 'Nachricht an {merchant} (optional)',
  link_empty: 'Bitte füllen Sie das aus.',
  link_check: 'Bitte prüfen Sie das.',
  link_email_refused: 'Geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel kim@example.com.',
  link_enter: 'Geben Sie {min} bis {max} {currency} ein.',
  link_disabled_title: 'Dieser Zahlungslink ist abgeschaltet',
  link_disabled_text: 'Er nimmt keine neuen Zahlungen an. Bitten Sie den Händler um einen anderen.',
  not_found_title: 'Diese Seite gibt es nicht',
  not_found_text: 'Prüfen Sie die Adresse oder bitten Sie den Händler um einen neuen Link.',
  busy_title: 'Einen Moment, bitte',
  busy_text: 'Es kamen viele Anfragen auf einmal. Versuchen Sie es in einer Minute erneut.',
  unavailable_title: 'Derzeit nicht verfügbar',
  unavailable_text: 'Versuchen Sie es gleich noch einmal. Nichts, was Sie gesendet haben, geht verloren.',
  try_again: 'Erneut versuchen',

  error_refund_address:
    'Das ist keine {network}-Adresse, an die eine Erstattung gehen könnte. Prüfen Sie sie oder verwenden Sie eine andere.',
  error_other_network: 'Das ist eine Adresse auf {other}, nicht auf {network}.',
  error_route: 'Dieser Coin kann derzeit nicht umgewandelt werden. Wählen Sie einen anderen.',
  error_state: 'Diese Zahlung ist bereits weiter fortgeschritten, daher lässt sich nichts mehr ändern.',
  error_unavailable:
    'Das ist derzeit nicht erreichbar. Wählen Sie einen anderen Coin oder versuchen Sie es gleich noch einmal.',
  error_hash_address: 'Das ist eine Adresse. Kopieren Sie den Transaktions-Hash aus Ihrer Wallet.',
  error_transaction: 'Das ist kein Transaktions-Hash dieses Netzwerks. Kopieren Sie ihn vollständig aus Ihrer Wallet.',
  error_amounts:
    'Gerade sind zu viele Zahlungen über diesen Preis offen. Verbinden Sie eine Wallet, wählen Sie einen anderen Coin oder versuchen Sie es später noch einmal.',
  error_busy: 'Das war zu schnell. Versuchen Sie es gleich noch einmal.',
  error_other: 'Das hat nicht funktioniert. Versuchen Sie es gleich noch einmal.',
} satisfies Catalog;
