import type { Catalog } from './messages.ts';

/** French. */
export default {
  title: 'Payer {merchant}',
  merchant_fallback: 'le commerçant',
  language: 'Langue',
  you_are_on: 'Vous êtes sur {host} et vous payez {merchant}.',
  powered: 'Payé directement dans le portefeuille du commerçant avec Quittance',
  details: 'Détails',
  total: 'Total',
  not_itemized: 'Non détaillé',
  close: 'Fermer',

  test_banner: 'Mode test. Aucun argent réel ne circule.',
  test_bar_title: 'Portefeuille de test',
  test_bar_text: 'Jouez le rôle du client et du réseau. Seules les sessions de test proposent ceci.',
  test_no_real_money: 'N’envoyez pas d’argent réel : ce test ne peut pas le recevoir.',
  test_address: 'Cette adresse ne peut pas être copiée : elle est réelle, et l’argent envoyé ne paierait pas ce test.',
  test_paid: 'Payer le montant exact',
  test_unconfirmed: 'Envoyer, non confirmé',
  test_underpaid: 'Payer trop peu',
  test_overpaid: 'Payer trop',
  test_late: 'Payer en retard',
  test_failed: 'Échouer',
  test_refund_required: 'Rester bloqué',
  test_add_block: 'Ajouter un bloc',
  test_expire: 'Faire expirer maintenant',

  offline: 'La connexion est perdue. Nous réessayons sans cesse ; rien de ce que vous avez envoyé n’est perdu.',
  tampered:
    'Quelque chose sur cet appareil a modifié les informations de paiement de cette page. Ne payez pas ici. ' +
    'Essayez un autre navigateur ou un autre appareil.',

  choose_title: 'Comment souhaitez-vous payer ?',
  choose_legend: 'Cryptomonnaie',
  network_legend: 'Réseau',
  recommended: 'Recommandé',
  no_conversion: 'Sans conversion ni frais de service',
  conversion_note:
    'Conversion automatique. Les frais de conversion, en général 1 à 4 %, sont compris dans le montant exact de la page suivante.',
  all_coins: 'Toutes les cryptomonnaies',
  search: 'Chercher une cryptomonnaie ou un réseau',
  nothing_found: 'Non accepté ici. Acceptés : {coins}.',
  unavailable: 'Indisponible pour le moment',
  only_direct_reachable:
    'Les autres cryptomonnaies sont momentanément indisponibles. Vous pouvez toujours payer avec celle-ci.',
  nothing_reachable: 'Aucun moyen de paiement n’est joignable pour le moment. Cette page réessaie d’elle-même.',
  continue: 'Continuer',
  continue_with: 'Continuer avec {asset} sur {network}',
  on_network: 'sur {network}',
  estimates_note: 'Montants et délais estimés. Votre portefeuille ajoute les frais de réseau.',
  network_fee_note: 'Votre portefeuille ajoute les frais de réseau.',
  cancel: 'Annuler',
  from_exchange: 'Je paie depuis une plateforme d’échange',

  refund_title: 'Où un remboursement doit-il être envoyé ?',
  refund_why:
    'Votre paiement en {asset} est converti en cours de route. Si la conversion n’aboutit pas, il est ' +
    'renvoyé à cette adresse.',
  refund_own:
    'Utilisez une adresse de votre propre portefeuille. Les plateformes d’échange perdent souvent les remboursements.',
  refund_label: 'Votre adresse {asset} sur {network}',
  refund_use_wallet: 'Utiliser l’adresse dans {wallet}',
  refund_to: 'Adresse de remboursement',
  back: 'Retour',

  send_title: 'Envoyez {amount} {asset}',
  send_exactly: 'Montant exact',
  send_by_wallet: 'Payez avec un portefeuille que vous connectez ici. Un transfert manuel ne serait pas reconnu.',
  send_with_reference: 'Scannez le code ou ajoutez la référence : sans elle, le transfert n’est pas reconnu.',
  send_with_memo:
    'Indiquez ce mémo dans le transfert, ou payez avec un portefeuille connecté ici : sans lui, le transfert n’est pas reconnu.',
  to_address: 'À cette adresse',
  reference: 'Référence',
  memo: 'Mémo',
  network_only: 'Envoyez uniquement {asset} sur {network}. Tout autre envoi peut être perdu.',
  why_amount: 'Pourquoi {amount} ?',
  why_amount_cent:
    'Les {extra} {asset} supplémentaires valent moins d’un centime. Ce ne sont pas des frais : le marchand ' +
    'les reçoit, et ils relient votre transfert à cette commande.',
  why_amount_extra:
    'Les {extra} {asset} supplémentaires ne sont pas des frais : le marchand les reçoit, et ils relient ' +
    'votre transfert à cette commande.',
  why_amount_digits:
    'Les derniers chiffres ne sont pas des frais : le marchand les reçoit, et ils relient votre transfert à ' +
    'cette commande.',
  why_amount_rounded:
    'Un montant arrondi parvient aussi au marchand, mais n’est pas associé automatiquement. Dans ce cas, ' +
    'utilisez « Avez-vous déjà envoyé le paiement ? » ci-dessous.',
  copy_amount: 'Copier le montant',
  copy_address: 'Copier l’adresse',
  copy_reference: 'Copier la référence',
  copy: 'Copier',
  copied: 'Copié',
  rate: '1 {asset} = {price} {currency}',
  rate_renews: 'Ce montant est actualisé dans {time}',
  rate_changed: 'Le cours a changé : le montant est maintenant de {amount} {asset}.',
  fee_service: 'Frais de service',
  fee_service_merchant: '1,5 %, payés par le commerçant',
  fee_network: 'Frais de réseau',
  fee_network_wallet: 'Ajoutés par votre portefeuille',
  converted_by: 'Converti par',
  converted_by_text: '{provider}, en général en quelques minutes',
  price_warning:
    'Cette conversion coûte environ {percent} % de plus que la valeur de vos cryptomonnaies. Une autre ' +
    'cryptomonnaie peut être moins chère.',
  qr_alt: 'Code QR pour payer {amount} {asset} sur {network} à {address}',
  qr_alt_address: 'Code QR de l’adresse {address} ; saisissez vous-même {amount} {asset} sur {network}',
  qr_mode: 'Contenu du code QR',
  qr_full: 'Avec le montant',
  qr_address: 'Adresse seule',
  qr_transfer: 'Autres portefeuilles',
  qr_enlarge: 'Agrandir le code QR',
  open_wallet: 'Ouvrir dans une application de portefeuille',
  open_page_in: 'Ou ouvrir cette page dans',
  choose_another: 'Payer avec une autre cryptomonnaie',
  exchange_title: 'Vous payez depuis une plateforme d’échange ?',
  exchange_arrives:
    'Exactement {amount} {asset} doivent arriver. Les plateformes prélèvent leurs frais sur le montant ' +
    'saisi ; ajoutez-les donc en plus.',
  exchange_digits:
    'Saisissez chaque chiffre. Si la plateforme arrondit le montant, collez ensuite le hash de la transaction sous « {sent} ».',
  exchange_network: 'Choisissez le réseau {network}. Autres noms de ce réseau : {names}.',
  exchange_memo: 'Cette adresse n’a besoin ni de mémo ni de tag. Laissez ce champ vide.',
  exchange_slow: 'Les plateformes peuvent mettre du temps à envoyer. Ne commencez que s’il reste assez de temps.',
  exchange_fee: 'Frais de retrait de votre plateforme, s’ils sont déduits',
  exchange_enter: 'Saisissez {total} {asset} sur la plateforme : {amount} {asset} arrivent.',
  phone_title: 'Continuer sur votre téléphone',
  phone_text: 'Scannez ce code avec l’appareil photo de votre téléphone. Les deux pages suivent le même paiement.',
  phone_alt: 'Code QR de l’adresse de cette page',
  expires_in: 'Temps restant : {time}',
  announce_minutes: {
    one: 'Il reste {count} minute pour payer',
    many: 'Il reste {count} minutes pour payer',
    other: 'Il reste {count} minutes pour payer',
  },
  waiting: 'En attente de votre paiement',
  waiting_rest: 'En attente du reste',
  waiting_hint: 'Cette page le détecte d’elle-même. Vous pouvez la fermer une fois le paiement envoyé.',
  top_up_title: 'Il manque encore une partie',
  top_up_text: '{seen} sur {amount} {asset} sont arrivés. Envoyez le reste à la même adresse avant la fin du délai.',
  top_up_amount: 'Reste à envoyer',

  wallet_pay_with: 'Payer avec {wallet}',
  wallet_detected: 'Portefeuilles dans ce navigateur',
  wallet_or: 'ou envoyez vous-même le paiement',
  wallet_connecting: 'Ouvrez {wallet} et autorisez cette page à se connecter.',
  wallet_network: 'Passez {wallet} sur {network}.',
  wallet_scan: 'Scannez ce code avec une application wallet compatible avec WalletConnect, puis validez-y le paiement.',
  wallet_checking: 'Vérification de votre solde…',
  wallet_confirm: 'Confirmez le paiement dans {wallet}.',
  wallet_signing: 'Signez le message dans {wallet}.',
  wallet_sent: 'Envoyé',
  wallet_sent_text:
    'Votre portefeuille a envoyé le paiement. Le réseau l’affichera dans un instant ; vous pouvez fermer cette page.',
  wallet_rejected: 'Vous avez refusé dans le portefeuille. Rien n’a été envoyé.',
  wallet_busy: 'Une autre demande est ouverte dans le portefeuille. Ouvrez-le, répondez-y, puis réessayez.',
  wallet_locked: 'Le portefeuille n’a partagé aucun compte. Déverrouillez-le, puis réessayez.',
  wallet_no_network:
    'Le portefeuille ne connaît pas {network}. Ajoutez ce réseau dans le portefeuille, puis réessayez.',
  wallet_wrong_network: 'Le portefeuille est resté sur un autre réseau. Passez-le sur {network}, puis réessayez.',
  wallet_low_balance: 'Ce compte contient {balance} {asset} ; il faut {amount} {asset}.',
  wallet_low_balance_short:
    'Ce compte ne peut pas payer en {asset} : il en contient trop peu ou n’en a jamais contenu.',
  wallet_low_gas: 'Ce compte n’a pas assez de {coin} pour les frais de réseau.',
  wallet_would_fail: 'Le réseau refuserait ce paiement ; il n’a donc pas été envoyé.',
  wallet_unknown:
    'Le portefeuille n’a pas répondu. Vérifiez dans le portefeuille si le paiement a été envoyé avant de réessayer.',
  wallet_failed: 'Le portefeuille n’a pas pu effectuer cette action. Rien n’a été envoyé.',
  wallet_wrong_sender: 'Le portefeuille a signé avec un compte qui n’a pas envoyé cette transaction.',
  gasless_pay: 'Payer avec {wallet}, sans frais de réseau',
  gasless_text:
    'Vous signez un seul message. Il paie {amount} {asset} sur {network} et ne peut rien déplacer d’autre. ' +
    'Le paiement va à',
  gasless_fee_note: 'Si vous envoyez plutôt un transfert, votre portefeuille ajoute les frais de réseau.',
  gasless_sending: 'Signé. Envoi de votre paiement…',
  gasless_sent: 'Votre paiement signé est en cours d’envoi. Ne payez pas à nouveau. Vous pouvez fermer cette page.',
  gasless_expired:
    'Votre paiement signé n’a pas été envoyé à temps et ne peut plus l’être. Rien n’a été payé. Réessayez ou ' +
    'envoyez un transfert.',
  gasless_refused: 'La signature n’a pas été acceptée et rien n’a été envoyé. Réessayez ou envoyez un transfert.',

  sent_title: 'Avez-vous déjà envoyé le paiement ?',
  sent_text: 'Collez le hash de la transaction et nous la cherchons aussitôt.',
  sent_sign_text: 'Si elle ne peut pas être distinguée des autres, signez avec le portefeuille qui l’a envoyée.',
  sent_sign: 'Signer avec {wallet}',
  transaction_hash: 'Hash de la transaction',
  submit_hash: 'Chercher',
  hash_submitted: 'Merci. Nous cherchons cette transaction ; cette page changera dès qu’elle sera trouvée.',

  progress_steps: 'Progression',
  step_seen: 'Vu sur le réseau',
  step_confirming: 'Confirmation',
  step_converting: 'Conversion',
  step_delivering: 'Acheminement vers le commerçant',
  step_paid: 'Payé',
  confirming_title: 'Paiement détecté',
  confirming_text: {
    one: '{have} sur {count} confirmation',
    many: '{have} sur {count} confirmations',
    other: '{have} sur {count} confirmations',
  },
  confirming_wait: 'Le réseau confirme votre paiement.',
  about_seconds: {
    one: 'environ {count} seconde',
    many: 'environ {count} secondes',
    other: 'environ {count} secondes',
  },
  about_minutes: { one: 'environ {count} minute', many: 'environ {count} minutes', other: 'environ {count} minutes' },
  may_close: 'Vous pouvez fermer cette page ; rien n’est perdu.',
  converting_title: 'Conversion de votre paiement',
  converting_text:
    'Votre paiement en {asset} est arrivé et est en cours de conversion. Cela prend en général quelques minutes.',
  delivering_title: 'Presque terminé',
  delivering_text: 'Les fonds convertis sont en route vers le commerçant.',

  paid_title: 'Payé',
  paid_text: 'Votre paiement est bien arrivé chez {merchant}. Merci.',
  paid_over: 'Vous avez envoyé {surplus} {asset} de trop. Contactez {merchant} si vous souhaitez les récupérer.',
  paid_return: 'Retourner chez {merchant}',
  paid_returning: {
    one: 'Vous serez redirigé dans {count} seconde.',
    many: 'Vous serez redirigé dans {count} secondes.',
    other: 'Vous serez redirigé dans {count} secondes.',
  },
  paid_stay: 'Rester ici',
  receipt: 'Reçu',
  receipt_title: 'Reçu',
  print: 'Imprimer',
  receipt_link: 'Ce reçu reste disponible à cette adresse.',
  receipt_signed: 'Télécharger le reçu signé',
  closing_title: 'Le délai est écoulé',
  closing_text:
    'N’envoyez plus rien maintenant. Nous vérifions encore si un paiement a été envoyé à temps ; cette page ' +
    'vous le dira.',
  expired_title: 'Le délai est écoulé',
  expired_text: 'Aucun paiement n’a été trouvé pour cette commande.',
  start_again: 'Recommencer',
  failed_title: 'Le paiement n’a pas abouti',
  failed_returned:
    'La conversion n’a pas pu aboutir, et votre paiement en {asset} a été renvoyé à votre adresse de remboursement.',
  failed_reverted: 'Le réseau a annulé la transaction. Seuls ses frais ont été dépensés.',
  failed_released:
    'Le portefeuille que vous avez payé n’appartient pas à ce marchand. Demandez au marchand avant de payer à nouveau.',
  failed_text: 'Rien n’est parvenu au commerçant. Vous pouvez recommencer.',
  refund_required_title: 'Votre argent est arrivé, mais la commande n’a pas pu être finalisée',
  refund_required_underpaid: 'Le montant arrivé est inférieur à celui de la commande, et le délai est écoulé.',
  refund_required_paid_late: 'Votre paiement est arrivé après la fin du délai.',
  refund_required_rate_unknown: 'Votre paiement est arrivé alors qu’aucun cours fiable n’était connu.',
  refund_required_untraced_transfer:
    'Votre paiement est arrivé d’une manière qui n’a pas permis de le rattacher à une transaction.',
  refund_required_short_delivery: 'La conversion a livré moins que le montant de la commande.',
  refund_required_route: 'La conversion n’a pas pu aboutir et est en cours d’examen.',
  refund_required_compliance_hold: 'Le prestataire de conversion retient le paiement pour vérification.',
  refund_required_at_merchant:
    'L’argent est dans le portefeuille du commerçant. Demandez-lui de l’accepter ou de le renvoyer.',
  refund_required_at_provider:
    'L’argent est chez le prestataire de conversion. Demandez au commerçant quelle est la suite ; conservez ' +
    'cette page.',
  held_by: 'Détenu par',
  provider_order: 'Ordre du prestataire',
  provider_help: 'Aide de {provider}',
  refunded_title: 'Remboursé',
  refunded_part: '{part} sur {amount}',
  refunded_text: 'Le commerçant a enregistré un remboursement. Il a été envoyé depuis son propre portefeuille.',
  refunded_recorded:
    'Le commerçant a enregistré un remboursement. Si vous n’avez pas récupéré l’argent, interrogez le commerçant.',
  refunded_at_provider:
    'L’argent n’est jamais arrivé dans le portefeuille du commerçant. Il était chez le prestataire de conversion.',
  refund_ask_title: 'Votre remboursement de {amount}',
  refund_ask_text: '{merchant} vous envoie {amount} {asset} sur {network}. Indiquez où il doit aller.',
  refund_ask_sign:
    'Signez un message avec le portefeuille qui a payé, et le remboursement y sera envoyé. Une signature ne déplace pas d’argent.',
  refund_ask_enter: 'Ou saisissez une adresse',
  refund_ask_check:
    'Vérifiez l’adresse : l’argent envoyé à une mauvaise adresse est perdu. Vous ne pouvez en indiquer qu’une.',
  refund_ask_submit: 'Envoyer cette adresse',
  refund_ask_until: 'Ce lien fonctionne une fois, jusqu’au {time}.',
  refund_named_title: 'Nous avons votre adresse',
  refund_named_text: '{merchant} la vérifie avant d’envoyer le remboursement. Contactez-le si ce n’est pas la vôtre.',
  refund_planned_text: '{merchant} envoie le remboursement à cette adresse depuis son propre portefeuille.',
  refund_sent_text: 'Le remboursement a été envoyé et est en cours de confirmation.',
  refund_returned_text: 'Le remboursement est arrivé à cette adresse.',
  refund_closed_title: 'Ce lien ne fonctionne plus',
  refund_closed_text: 'Il a expiré, ou le marchand a retiré le remboursement. Demandez-lui un nouveau lien.',
  refund_used: 'Ce lien a déjà servi. Seule l’adresse ci-dessous compte.',
  refund_wrong_wallet:
    'Ce portefeuille n’a pas payé, ou pas autant. Signez avec celui qui a payé, ou saisissez une adresse.',
  refund_wrong_recipient:
    'Aucun remboursement n’est possible à cette adresse. Saisissez une adresse de votre propre portefeuille.',
  refund_goes_to: 'Remboursement envoyé à',
  other_transfer_title: 'Autre chose est arrivé',
  other_transfer_asset:
    '{amount} {asset} sur {network} sont arrivés dans le portefeuille du commerçant. Cette commande demande ' +
    'une autre cryptomonnaie ou un autre réseau, ce paiement ne compte donc pas. Demandez au commerçant de ' +
    'le renvoyer.' +
    ' Le commerçant le voit aussi.',
  other_transfer_extra:
    '{amount} {asset} sont arrivés en plus et ne comptent pas pour cette commande. Demandez au commerçant de ' +
    'les renvoyer.',
  received: 'Reçu',
  keep_page: 'Conservez l’adresse de cette page : elle reste valable et montre ce que devient votre paiement.',
  contact: 'Contacter {merchant}',
  contact_subject: 'Paiement {session}',
  contact_none: 'Écrivez à la boutique où vous avez commandé et joignez l’adresse de cette page.',
  back_to_shop: 'Retour à la boutique',
  transactions: 'Transactions',

  status_region: 'État',
  amount_label: 'Montant',
  paid_with: 'Payé avec',
  paid_to: 'Payé à',
  paid_at: 'Payé le',
  exchange_rate: 'Taux de change',
  order_number: 'Commande',
  receipt_number: 'Numéro de reçu',
  receipt_qr_alt: 'Code QR de l’adresse de ce reçu',

  link_open: 'Continuer vers le paiement',
  link_note: 'Vous choisirez comment payer à la page suivante.',
  link_amount: 'Montant en {currency}',
  link_range: 'De {min} à {max}',
  link_name: 'Votre nom',
  link_email: 'Votre adresse e-mail',
  link_message: 'Message à {merchant} (facultatif)',
  link_check: 'Vérifiez ceci, s’il vous plaît.',
  link_disabled_title: 'Ce lien de paiement est désactivé',
  link_disabled_text: 'Il n’accepte plus de nouveaux paiements. Demandez-en un autre au commerçant.',
  not_found_title: 'Cette page n’existe pas',
  not_found_text: 'Vérifiez l’adresse ou demandez un nouveau lien au commerçant.',
  busy_title: 'Un instant, s’il vous plaît',
  busy_text: 'Il y a eu beaucoup de demandes à la fois. Réessayez dans une minute.',
  unavailable_title: 'Indisponible pour le moment',
  unavailable_text: 'Réessayez dans un instant. Rien de ce que vous avez envoyé n’est perdu.',
  try_again: 'Réessayer',

  error_refund_address:
    'Ce n’est pas une adresse {network} pouvant recevoir un remboursement. Vérifiez-la ou utilisez-en une autre.',
  error_route: 'Cette cryptomonnaie ne peut pas être convertie pour le moment. Choisissez-en une autre.',
  error_state: 'Ce paiement a déjà avancé ; plus rien ne peut être modifié.',
  error_unavailable:
    'Ce service est injoignable pour le moment. Choisissez une autre cryptomonnaie ou réessayez dans un instant.',
  error_transaction: 'Ce n’est pas un hash de transaction de ce réseau. Copiez-le en entier depuis votre portefeuille.',
  error_amounts:
    'Trop de paiements de ce prix sont ouverts en ce moment. Connectez un portefeuille, choisissez une autre ' +
    'monnaie ou réessayez plus tard.',
  error_busy: 'C’était trop rapide. Réessayez dans un instant.',
  error_other: 'Cela n’a pas fonctionné. Réessayez dans un instant.',
} satisfies Catalog;
