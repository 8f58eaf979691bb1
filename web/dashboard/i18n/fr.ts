import type { Catalog } from './messages.ts';

export default {
  'Switch to live mode': 'Passer en mode réel',
  'Switch to test mode': 'Passer en mode test',
  'Switch to light theme': 'Passer à l’apparence claire',
  'Switch to dark theme': 'Passer à l’apparence sombre',
  'Search payments for “{text}”': 'Rechercher « {text} » dans les paiements',
  Search: 'Rechercher',
  'Search orders, emails, IDs, addresses or pages…':
    'Identifiants, numéros de commande, e-mails, transactions, adresses, rubriques',
  Results: 'Résultats',
  'No results': 'Aucun résultat',
  'Skip to content': 'Aller au contenu',
  Menu: 'Menu',
  Main: 'Principal',
  Documentation: 'Documentation',
  Mode: 'Mode',
  Access: 'Accès',
  Everything: 'Tout',
  'Also sign with Ed25519 (v1a)': 'Signer aussi avec Ed25519 (v1a)',
  'Test mode: no real money': 'Mode test : pas d’argent réel',
  Test: 'Test',
  Live: 'Réel',
  Home: 'Accueil',
  Period: 'Période',
  'Latest payments': 'Derniers paiements',
  'All payments': 'Tous les paiements',
  'No payments yet': 'Pas encore de paiements',
  'Open a payment link and simulate a payment. It takes ten seconds.':
    'Ouvrez un lien de paiement et choisissez un résultat de test : cela prend dix secondes.',
  'Payments appear here as soon as a customer starts paying.':
    'Ils apparaissent ici dès qu’un client commence à payer.',
  Volume: 'Volume',
  Currency: 'Devise',
  Paid: 'Payé',
  Completed: 'Conversion',
  'of started checkouts': 'des paiements commencés',
  Direct: 'Direct',
  'no fee': 'sans frais',
  Fees: 'Frais',
  '1.5% of routed payments': '1,5 % du converti',
  'Create a key': 'Créer une clé',
  'API keys': 'Clés d’API',
  'Secret keys authenticate your server. They can’t move funds. Keep them private.':
    'Une clé secrète parle pour votre compte, depuis votre serveur seulement. Elle ne peut pas déplacer d’argent.',
  'No live key yet': 'Pas encore de clé réelle',
  'No test key yet': 'Pas encore de clé de test',
  Name: 'Nom',
  Key: 'Clé',
  'Last used': 'Dernière utilisation',
  Created: 'Créé',
  Actions: 'Actions',
  'No name': 'Sans nom',
  Never: 'Jamais',
  Rotate: 'Renouveler',
  Delete: 'Supprimer',
  'Your secret key': 'Votre clé secrète',
  'Rotate this key?': 'Renouveler cette clé ?',
  'Rotate now': 'Renouveler maintenant',
  'Old secret': 'Ancien secret',
  'Stops immediately': 'Cesse aussitôt de fonctionner',
  'Works for one more hour': 'Fonctionne encore une heure',
  'Works for one more day': 'Fonctionne encore un jour',
  'Works for one more week': 'Fonctionne encore une semaine',
  'The old secret works until {time}.': 'L’ancien secret fonctionne jusqu’au {time}.',
  'While both secrets work, you can switch your servers one by one. Choose an immediate stop if the old one has leaked.':
    'Tant que les deux secrets fonctionnent, vous pouvez changer vos serveurs un par un. Choisissez l’arrêt ' +
    'immédiat si l’ancien a fuité.',
  'Previous month': 'Mois précédent',
  'Next month': 'Mois suivant',
  'Choose the first day. Days are in UTC.': 'Choisissez le premier jour. Les jours sont en UTC.',
  'Choose the last day.': 'Choisissez le dernier jour.',
  'Delete this key?': 'Supprimer cette clé ?',
  'Requests using this key will fail immediately. This can’t be undone.':
    'Les requêtes avec cette clé échoueront immédiatement. Cette action est irréversible.',
  'Name (optional)': 'Nom (facultatif)',
  'Web shop': 'Boutique en ligne',
  'Test: no real money': 'Test : pas d’argent réel',
  Cancel: 'Annuler',
  Create: 'Créer',
  'Create a link': 'Créer un lien',
  'Payment links': 'Liens de paiement',
  'Share one URL with many customers. Each customer gets their own checkout.':
    'Une adresse à partager avec de nombreux clients : chaque client a son propre paiement.',
  'No payment links yet': 'Pas encore de liens de paiement',
  'Get paid without code. Add a description and an amount, then share the link.':
    'Vendez sans une ligne de code : une description, un montant et un lien à envoyer.',
  Description: 'Description',
  Amount: 'Montant',
  'Paid out in': 'Réglé en',
  Status: 'État',
  Active: 'Actif',
  Disabled: 'Désactivé',
  Share: 'Partager',
  Duplicate: 'Dupliquer',
  Disable: 'Désactiver',
  Enable: 'Activer',
  'Pay {amount}': 'Payer {amount}',
  'Share this link': 'Partager ce lien',
  'QR code of the payment link': 'Code QR du lien de paiement',
  Open: 'Ouvrir',
  'For a web page': 'Pour une page web',
  'Page not found': 'Cette page n’existe pas',
  'Back to the dashboard': 'Retour au tableau de bord',
  'Payment not found in this mode': 'Ce paiement n’existe pas dans ce mode',
  'Look in live mode': 'Chercher en mode réel',
  'Look in test mode': 'Chercher en mode test',
  Payments: 'Paiements',
  Payment: 'Paiement',
  'View as customer': 'Voir comme un client',
  'Accept payment': 'Accepter tel quel',
  Refund: 'Remboursement',
  Timeline: 'Chronologie',
  Details: 'Détails',
  'Paid with': 'Payé avec',
  Route: 'Voie',
  Routed: 'Converti',
  'Payout address': 'Reçu sur',
  Order: 'Commande',
  Session: 'Session',
  'Payment link': 'Lien de paiement',
  Transaction: 'Transaction',
  'Sent to': 'Envoyé à',
  Reason: 'Motif',
  Recorded: 'Enregistré',
  Metadata: 'Métadonnées',
  'Accept this payment?': 'Accepter tel quel ?',
  Accept: 'Accepter',
  Amounts: 'Montants',
  'Order amount': 'Montant de la commande',
  'Service fee': 'Frais de service',
  Net: 'Net',
  Expected: 'Attendu',
  Received: 'Arrivé',
  Explorer: 'Explorateur',
  Columns: 'Colonnes',
  'Export CSV': 'Exporter en CSV',
  'Clear the search to export.': 'Effacez la recherche pour exporter.',
  Views: 'Vues',
  'Search payments': 'Rechercher des paiements',
  'To handle': 'À traiter',
  Filters: 'Filtres',
  'Filters ({count})': 'Filtres ({count})',
  'Any status': 'Tous les états',
  'Any route': 'Toutes les voies',
  From: 'Du',
  'No payments match these filters': 'Aucun paiement ne correspond à ces filtres',
  'Clear filters': 'Effacer les filtres',
  'No results for “{text}”': 'Aucun résultat pour « {text} »',
  'Clear search': 'Effacer la recherche',
  'Matching payments': 'Paiements trouvés',
  'Request log': 'Journal des requêtes',
  'API requests from the last 7 days. Request bodies aren’t stored.':
    'Ce que vos clés ont demandé ces sept derniers jours, le plus récent d’abord. Le contenu n’est pas conservé.',
  'Show all': 'Tout afficher',
  'Show errors only': 'Afficher seulement les erreurs',
  Refresh: 'Actualiser',
  'No errors': 'Aucune erreur',
  'No requests yet': 'Pas encore de requêtes',
  'Requests with a secret key of this mode appear here within two seconds.':
    'Les requêtes faites avec une clé secrète de ce mode apparaissent ici en une ou deux secondes.',
  Requests: 'Requêtes',
  Request: 'Requête',
  Duration: 'Durée',
  'Request ID': 'Id. de requête',

  Login: 'Connexion',
  'Copy as curl': 'Copier en curl',
  Settings: 'Réglages',
  'What customers see': 'Ce que voient les clients',
  'Logo (https URL)': 'Logo (adresse https)',
  'Accent color': 'Couleur d’accent',
  'Background color': 'Couleur de fond',
  'Support email': 'E-mail d’assistance',
  'Support page': 'Page d’assistance',
  'Allowed embed origins': 'Sites qui peuvent afficher le paiement dans un cadre',
  'One origin per line, such as https://shop.example.com.':
    'Une origine par ligne, par exemple https://shop.example.com.',
  Save: 'Enregistrer',
  Saved: 'Enregistré',
  'Pick: {label}': 'Choisir : {label}',

  'Your shop': 'Votre boutique',
  Pay: 'Payer',
  'Payment rules': 'Règles',
  'Underpayment tolerance (%)': 'Manque qui compte encore comme payé, en pour cent',
  'Default: 0.5%, capped at 1.00 in the order currency.': 'Vide : 0,5 %, et jamais plus de 1,00 de la devise.',
  'Only allow payout wallets to be added from the dashboard': 'Portefeuilles d’encaissement par connexion seulement',
  'Prevents a leaked API key from redirecting funds.':
    'Une clé secrète divulguée ne peut alors pas ajouter de portefeuille.',
  'Paymaster (https URL)': 'Paymaster (URL https)',
  'Pays the network fee of customers whose wallets batch calls (ERC-7677).':
    'Paie les frais de réseau des clients dont le portefeuille regroupe les appels (ERC-7677).',
  '{host} pays the network fee of customers whose wallets batch calls. Enter a URL to replace it.':
    '{host} paie les frais de réseau des clients dont le portefeuille regroupe les appels. Saisissez une URL ' +
    'pour le remplacer.',
  'Remove the paymaster': 'Retirer le paymaster',
  'Display preferences': 'Préférences d’affichage',
  Theme: 'Apparence',
  System: 'Comme le système',
  Light: 'Clair',
  Dark: 'Sombre',
  'Checkout theme': 'Clair ou sombre',
  'Match visitor’s device': 'Selon le choix du visiteur',
  Corners: 'Coins',
  Round: 'Ronds',
  Soft: 'Adoucis',
  Square: 'Droits',
  Language: 'Langue',
  Account: 'Compte',

  'You sign in with a wallet, so payouts go only to that wallet.':
    'C’est un compte de portefeuille : il a pour seul portefeuille d’encaissement celui qui se connecte.',
  'Sign out': 'Se déconnecter',
  'Sign out everywhere': 'Se déconnecter partout',
  'Sign in': 'Se connecter',
  'This sign-in link has expired or was already used. Sign in below, or restart the server for a new link.':
    'Ce lien a déjà servi ou a expiré. Redémarrez le service pour en obtenir un autre, ou connectez-vous ici.',
  or: 'ou',
  'New here? Signing in creates your account. We never hold your funds or private keys.':
    'La première connexion crée le compte. Ni mot de passe, ni clé de votre argent : nous n’en détenons jamais.',
  'You were invited. Sign in to open your account.': 'Vous avez été invité. Connectez-vous pour ouvrir votre compte.',
  'New accounts need an invitation. Ask the operator of this server for a link.':
    'Un nouveau compte nécessite une invitation. Demandez un lien à l’opérateur de ce serveur.',
  'Sign in to open the first account. It manages this server.':
    'Connectez-vous pour ouvrir le premier compte. Il administre ce serveur.',
  'This server has no account yet. Open the setup link that it prints in its log at start.':
    'Ce serveur n’a pas encore de compte. Ouvrez le lien de configuration qu’il écrit dans son journal au démarrage.',
  'This server does not accept new accounts. Sign in to an existing one.':
    'Ce serveur n’accepte pas de nouveaux comptes. Connectez-vous à un compte existant.',
  'Sign in as {email}': 'Se connecter en tant que {email}',
  Email: 'E-mail',
  Code: 'Code',
  'Enter the 6-character code from the email subject. It expires in 10 minutes.':
    'Six caractères, le dernier mot de l’objet de l’e-mail. Ils sont valables dix minutes.',
  'Send a new code in {seconds} s': 'Nouveau code dans {seconds} s',
  'Send a new code': 'Envoyer un nouveau code',
  'Send a code': 'Envoyer un code',
  'Use a different email': 'Utiliser une autre adresse',
  'Running locally? Your code is in the': 'En développement, l’e-mail se trouve dans la',
  'mail inbox': 'boîte de réception',
  'No wallet found in this browser. Install an Ethereum or Solana wallet to sign in with a signature.':
    'Aucun portefeuille trouvé dans ce navigateur. Un portefeuille Ethereum ou Solana peut vous connecter ' +
    'par une signature.',
  'Unattributed transfers': 'Transferts non attribués',
  'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.':
    'Transferts vers vos portefeuilles d’encaissement qui n’appartiennent à aucun paiement. Attribuez-les à ' +
    'un paiement ou marquez-les comme traités.',
  'All caught up': 'Rien à traiter',
  Transfers: 'Transferts',

  Time: 'Heure',
  Assign: 'Attribuer',
  'Mark as handled': 'Marquer comme traité',
  'Assign to a payment': 'Attribuer à un paiement',
  '{amount} will be credited to the selected payment.':
    '{amount} comptent pour le paiement comme s’ils avaient été envoyés pour lui.',
  'Record as resolved': 'Enregistrer comme résolu',
  'Search by order number or payment ID': 'Rechercher par numéro de commande ou ID de paiement',
  'No payment fits. Search for its order number.': 'Aucun paiement ne correspond. Recherchez le numéro de commande.',
  'Payments that fit, best match first': 'Paiements correspondants, le meilleur d’abord',
  'Accepts no more transfers': 'N’accepte plus de transferts',
  'Named by the transfer': 'Désigné par le transfert',
  'Amount matches': 'Le montant correspond',
  '{amount} too little': '{amount} en moins',
  '{amount} too much': '{amount} en trop',
  'Preview of your checkout': 'Aperçu de votre page de paiement',
  'Customer pays': 'Le client paie',
  'Why this amount?': 'Pourquoi ce montant ?',
  'The last digits identify this payment. They aren’t a fee, and they arrive in your wallet.':
    'Les derniers chiffres identifient ce paiement. Ce ne sont pas des frais, et ils arrivent dans votre portefeuille.',
  '{provider} holds the customer’s deposit on {network}.': '{provider} détient le dépôt du client sur {network}.',
  '{provider} holds {amount} on {network}.': '{provider} détient {amount} sur {network}.',
  'Nothing has reached your wallet, so don’t send a refund from it. Ask {provider} about this order.':
    'Rien n’est arrivé dans votre portefeuille : n’envoyez donc pas de remboursement depuis celui-ci. ' +
    'Interrogez {provider} au sujet de cet ordre.',
  'Provider’s order': 'Ordre du prestataire',
  'Deposit address': 'Adresse de dépôt',
  'Customer’s refund address': 'Adresse de remboursement du client',
  'Get help from {provider}': 'Aide de {provider}',
  'Nothing has reached your wallet, so there is nothing to send back. Record the refund once the customer has their money.':
    'Rien n’est arrivé dans votre portefeuille, il n’y a donc rien à renvoyer. Enregistrez le remboursement ' +
    'une fois que le client a récupéré son argent.',
  'Receive a live payment': 'Recevoir un paiement réel',
  'Pay one of your own live checkouts with a small amount.':
    'Payez l’une de vos propres pages de paiement en mode réel avec un petit montant.',
  'Payout wallets': 'Portefeuilles d’encaissement',
  'Payments are sent straight to these addresses. We never hold funds or keys.':
    'Les seuls endroits où l’argent de vos paiements peut aller. Nous n’en détenons rien, ni aucune clé.',
  'Add a wallet': 'Ajouter un portefeuille',
  'You sign in with a wallet, so payouts go only to that wallet, and no one else can redirect them. To use several wallets, sign in by email.':
    'Vous vous connectez avec un portefeuille : ce compte verse donc sur ce portefeuille-là et sur aucun ' +
    'autre. Qui ne peut pas signer avec lui ne peut pas détourner votre argent. Pour plusieurs ' +
    'portefeuilles, connectez-vous par e-mail.',
  'No payout wallet yet': 'Pas encore de portefeuille d’encaissement',
  'Add the wallet address where you want to receive payments.':
    'Ajoutez l’adresse où l’argent de vos clients doit arriver.',
  Default: 'Par défaut',
  Verified: 'Prouvé',
  Archived: 'Archivé',
  'Added via API': 'Ajouté par une clé',
  'Verify ownership': 'Prouver qu’il est à vous',
  'Make default': 'Choisir par défaut',
  Archive: 'Archiver',
  'Archive this wallet?': 'Archiver ce portefeuille ?',
  'No new checkouts or links will use it; open checkouts still pay to it. This can’t be undone.':
    'Il ne prend plus de nouvelles sessions ni de nouveaux liens. Ceux qui sont ouverts continuent. On ne ' +
    'peut pas le rétablir.',
  'Endpoint not found in this mode': 'Ce point de réception n’existe pas dans ce mode',
  'All endpoints': 'Tous les points de réception',
  Webhooks: 'Webhooks',
  Webhook: 'Webhook',
  'Send test event': 'Envoyer un test',
  'Rotate secret': 'Renouveler le secret',
  'Disabled after 6 failed attempts. New events are queued and will be sent when you re-enable it.':
    'Il a été désactivé après l’échec de la sixième tentative. Ce qui s’est passé depuis attend et part dès ' +
    'qu’il est activé.',
  Events: 'Événements',
  'Last 100 deliveries': 'Cent derniers',
  '{good} delivered, {bad} failed': '{good} livrés, {bad} échoués',
  'Avg. response': 'Temps de réponse',

  'Redeliver all failed': 'Renvoyer tous les échecs',
  'New signing secret': 'Le nouveau secret de signature',
  'Rotate secret?': 'Renouveler le secret ?',
  'Both secrets stay valid for 24 hours so you can switch without missing events.':
    'Pendant un jour, l’ancien et le nouveau secret signent tous deux, pour changer sans perdre un webhook.',
  'Delete this endpoint?': 'Supprimer ce point de réception ?',
  'Pending events won’t be delivered.': 'Ce qui l’attend n’est plus livré.',
  Deliveries: 'Livraisons',

  'No deliveries': 'Aucune livraison',
  'Deliveries appear here with the next payment.': 'Elles apparaissent ici au prochain paiement.',
  Event: 'Événement',
  Attempts: 'Tentatives',
  Response: 'Réponse',
  'Next attempt': 'Prochaine tentative',
  'Sends one signed sample event. No retries.':
    'Un exemple tout de suite, signé comme les vrais, sans nouvelle tentative.',
  'Delivered: the endpoint returned {code}.': 'Livré : le point de réception a répondu {code}.',
  'No response.': 'Il n’y a pas eu de réponse.',
  'Not delivered: the endpoint returned {code}.': 'Non livré : le point de réception a répondu {code}.',
  Send: 'Envoyer',
  'Add endpoint': 'Ajouter un point de réception',
  'Get signed payment events on your server, with automatic retries.':
    'Votre serveur apprend chaque changement d’un paiement, signé, et de nouveau jusqu’à ce qu’il réponde.',
  'No endpoints yet': 'Pas encore de point de réception',
  'An endpoint is an https URL on your server. Test it here before you go live.':
    'Un point de réception est une adresse https de votre serveur. Testez-le d’ici avant de passer au réel.',
  'Webhook endpoints': 'Points de réception des webhooks',
  Address: 'Adresse',
  Health: 'Santé',
  'No events sent yet': 'Rien envoyé pour l’instant',
  Healthy: 'En bon état',
  'no response': 'pas de réponse',
  'Signing secret': 'Le secret de signature',
  'Add a webhook endpoint': 'Ajouter un point de réception de webhooks',
  'Add the endpoint': 'Ajouter le point de réception',
  Delivery: 'Livraison',
  Redeliver: 'Renvoyer',
  'No attempts yet.': 'Pas encore tenté.',
  Manual: 'À la main',
  'Attempt {number}': 'Tentative {number}',
  'Recomputed signature': 'Signature, recalculée',
  'Raw body': 'Contenu, octet par octet',
  'Add a payout wallet': 'Ajouter un portefeuille d’encaissement',
  'Asset and network': 'Actif et réseau',
  'Use a wallet you control. Exchange deposit addresses can delay or reject incoming payments.':
    'Un portefeuille à vous. Une adresse de plateforme d’échange peut mettre des jours à créditer ce qui ' +
    'vient d’un inconnu.',
  Treasury: 'Trésorerie',
  'Compare the first and last characters with your wallet. Funds sent to a wrong address can’t be recovered.':
    'Comparez les premiers et les derniers caractères avec votre portefeuille. L’argent envoyé à une ' +
    'mauvaise adresse ne revient pas.',
  'Save wallet': 'Enregistrer le portefeuille',
  'Your wallet is connected with {address}. Switch it to the account of this payout wallet.':
    'Le portefeuille est connecté avec {address}. Choisissez-y le compte de ce portefeuille d’encaissement.',
  'Verify that you own it': 'Prouver qu’il est à vous',
  'Sign this message with the wallet. It costs nothing and moves no funds.':
    'Signez ce texte avec le portefeuille. Cela ne coûte rien et ne déplace rien.',
  'Sign with {wallet}': 'Signer avec {wallet}',
  'Copy message': 'Copier le texte',
  'Paste a signature': 'Signature faite ailleurs',
  Verify: 'Prouver',
  'No wallet found in this browser.': 'Aucun portefeuille trouvé dans ce navigateur.',
  Checkouts: 'Paiements des clients',
  'Defaults used when your API request or payment link doesn’t specify a value.':
    'Comment est un paiement quand votre serveur, ou un lien de paiement, ne le dit pas.',
  'Default ({value})': 'Par défaut ({value})',
  'Expires after': 'Temps pour payer',
  '1 hour': '1 heure',
  'Accepted coins': 'Avec quoi les clients peuvent payer',
  'All supported coins': 'Avec tout ce qui est possible',
  'Selected coins only': 'Seulement avec ceci',
  'Test clock': 'Horloge de test',
  'The test clock shows {now}. Move it forward to expire sessions and retry webhooks as if the time had passed.':
    'En mode test, il est {now}. Avancez-la : les sessions expirent et les webhooks sont retentés comme si ' +
    'le temps avait passé.',
  'The test clock can only move forward.': 'Elle avance sur l’heure réelle et ne recule jamais.',
  Invitations: 'Invitations',
  'Create an invitation link': 'Créer un lien d’invitation',
  'Leave empty to share the link yourself.': 'Laissez vide pour transmettre le lien vous-même.',
  'Valid until {day}': 'Valable jusqu’au {day}',
  Revoke: 'Révoquer',
  'Delete view {name}': 'Oublier la vue {name}',
  'Save this view': 'Enregistrer cette vue',
  'Saved in this browser with all its filters.': 'Elle reste dans ce navigateur et revient avec tous ses filtres.',
  Steps: 'Étapes',
  'Send a refund': 'Rendre l’argent',
  'Record the refund': 'Enregistrer le remboursement',
  'The funds are in your wallet, so the refund must come from you. Blockchain transfers can’t be reversed.':
    'L’argent est dans votre portefeuille : vous seul pouvez l’envoyer. Ce qui est envoyé sur une chaîne ne ' +
    'peut pas être repris.',
  'To ({network})': 'À ({network})',
  'Provided by the customer': 'Donnée par le client',
  'Sender’s address': 'D’où il est venu',
  'Sent {amount}': 'A envoyé {amount}',
  'Less than 5% of the payment': 'Moins de 5 % du paiement',
  'Looks like another address': 'Ressemble à une autre adresse',
  'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.':
    'L’argent d’une plateforme d’échange vient de l’adresse de la plateforme. Demandez au client avant de ' +
    'l’y renvoyer.',
  'Amount ({asset})': 'Montant ({asset})',
  'Enter a number such as {amount}.': 'Saisissez un nombre, par exemple {amount}.',
  '{amount} received.': '{amount} sont arrivés.',
  'I’ve sent it': 'Je l’ai envoyé',
  'A refund of this payment was already sent from this browser. Send another only if that one failed.':
    'Un remboursement de ce paiement a déjà été envoyé depuis ce navigateur. N’en envoyez un autre que si ' +
    'celui-ci a échoué.',
  'Send another refund': 'Envoyer un autre remboursement',
  'QR code of the refund for your wallet': 'Le remboursement comme demande à votre portefeuille',
  'Scan it with the wallet that holds the funds, or send from this browser.':
    'Scannez-le avec le portefeuille qui détient l’argent, ou envoyez depuis ce navigateur.',
  'Send with {wallet}': 'Envoyer avec {wallet}',
  'Your wallet is connected with {address}, which isn’t the payout wallet of this payment.':
    'Le portefeuille est connecté avec {address}, qui n’est pas le portefeuille d’encaissement de ce paiement.',
  'Send from it anyway': 'Envoyer depuis lui quand même',
  'Open in a wallet on this device': 'Ouvrir dans un portefeuille de cet appareil',
  'Test mode: there is nothing to send. Continue and record the refund.':
    'C’est le mode test : il n’y a rien à envoyer. Continuez et enregistrez le remboursement.',
  'Transaction (optional)': 'Transaction (facultatif)',
  'We’ll check the transaction on-chain before recording it.':
    'Elle est recherchée sur la chaîne, pour qu’une faute de frappe ne soit pas enregistrée.',
  'To check it on-chain, go back and enter the recipient’s address.':
    'Revenez en arrière et indiquez l’adresse de destination : on pourra alors la rechercher.',
  'Check transaction': 'Vérifier la transaction',
  'Sent. Waiting for the transaction to appear on-chain…': 'Envoyé. En attente que la chaîne le montre…',
  'Record without on-chain confirmation': 'L’enregistrer bien que la chaîne ne l’ait pas montré',
  'At most {amount}': '{amount} au plus',
  'Reason (optional)': 'Motif (facultatif)',
  Back: 'Retour',
  'Found: {amount} to {to}': 'Trouvé : {amount} à {to}',
  'from {address}, not your payout wallet': 'depuis {address}, pas votre portefeuille d’encaissement',
  'We couldn’t find this transaction paying this address. It may be too recent; try again in a minute.':
    'La chaîne ne montre pas que cette transaction paie cette adresse. Elle est peut-être trop récente ; ' +
    'regardez de nouveau dans une minute.',
  'This transaction failed on-chain. No funds moved.':
    'Cette transaction a échoué sur la chaîne : aucun argent n’a bougé.',
  'Test mode has no public blockchain, so this isn’t checked.':
    'Le mode test n’a pas de chaîne publique, donc rien n’est recherché.',
  'View details': 'Voir les détails',
  'The customer was asked for {amount} on {network}': 'Il a été demandé au client {amount} sur {network}',
  '{event} delivered, response {code}': '{event} livré, réponse {code}',
  '{event} failed on attempt {attempt} ({code})': '{event} non livré à la tentative {attempt} ({code})',
  'A refund was recorded': 'Un remboursement a été enregistré',
  '{amount} was removed by a chain reorganization': '{amount} ont disparu de la chaîne',
  '{amount} not counted: {reason}': '{amount} n’ont pas été comptés : {reason}',
  'Received {amount}': '{amount} sont arrivés',
  'Verified by {provider} only: every call to {others} failed for at least ten minutes':
    'Seul {provider} a pu être interrogé : tous les appels à {others} ont échoué pendant au moins dix minutes',
  'Waiting for more RPC providers to verify it': 'Trop peu de fournisseurs RPC l’ont vérifié pour l’instant',
  '{provider} quoted a conversion of {amount}': 'Il a été demandé à {provider} de convertir {amount}',
  'Create a payment link': 'Créer un lien de paiement',
  'Add a payout wallet before you create a link.': 'Un lien a d’abord besoin d’un portefeuille d’encaissement.',

  'Continue to payment': 'Continuer vers le paiement',
  'Workshop seat': 'Place à l’atelier',
  'Payout wallet': 'Réglé vers',
  More: 'Plus',
  'Order number (optional)': 'Numéro de commande (facultatif)',
  'Redirect after payment (optional)': 'Après le paiement, aller à (facultatif)',
  Preview: 'Aperçu',
  'You receive 100% when paid in {asset} on {network}; other coins carry a 1.5% fee.':
    'Payé en {asset} sur {network}, vous recevez tout ; avec autre chose, 1,5 % de moins.',
  'Create link': 'Créer le lien',
  'Disabled after 6 failed attempts': 'désactivé après six échecs',
  'Last attempt failed': 'la dernière tentative a échoué',
  'Added via API in the last 7 days. Archive it if that wasn’t you.':
    'ajouté par une clé secrète ces sept derniers jours ; archivez-le si ce n’était pas vous',
  'Needs attention': 'Demande votre attention',
  'Where customers’ payments are sent directly.': 'Où va votre argent, directement depuis le client.',
  'Verify wallet ownership': 'Prouvez que le portefeuille est à vous',
  'One signature, no transaction.': 'Une signature, aucune transaction.',
  'Pay a test checkout': 'Payez un test',
  'Try the full flow without real money.': 'Tout le parcours, sans argent réel.',
  'Receive a webhook': 'Recevez un webhook',
  'Set your name and support contact': 'Indiquez un nom et un contact d’assistance',
  'Shown to customers at checkout.': 'Les clients les voient au moment de payer.',
  'Create a live key': 'Créez une clé réelle',
  'Your server still uses a test key; no live key has been used yet. Test payments don’t move real money.':
    'Votre serveur utilise encore une clé de test : aucune clé réelle n’a encore servi. Les paiements de ' +
    'test ne rapportent rien.',
  'A live webhook endpoint points to a development machine or tunnel: {url}':
    'Un point de réception réel pointe vers une machine de développement ou un tunnel : {url}',
  'Get started': 'Premiers pas',
  '{done} of {all}': '{done} sur {all}',
  '{done} of {all} sent': '{done} sur {all} envoyés',
  Hide: 'Masquer',
  done: 'fait',
  'Copy {text}': 'Copier {text}',
  Copied: 'Copié',
  'Something went wrong.': 'Une erreur s’est produite.',
  'Try again': 'Réessayer',
  Loading: 'Chargement',
  Close: 'Fermer',
  routed: 'converti',
  'Copy it now. You won’t be able to see it again.':
    'Copiez-le maintenant : il n’est montré que cette fois et n’est gardé nulle part sous une forme lisible.',
  'Copy secret': 'Copier le secret',
  'As an environment variable': 'Comme ligne de votre environnement',
  'Verify a webhook': 'Vérifier un webhook',
  'I’ve saved it': 'Je l’ai gardé',
  'Load more': 'Charger la suite',
  'Volume by day': 'Volume par jour',
  Day: 'Jour',
  All: 'Tous',
  'Needs a decision': 'Demande une décision',
  Refunded: 'Remboursé',
  '15 minutes': '15 minutes',
  '30 minutes': '30 minutes',
  '2 hours': '2 heures',
  '1 day': '1 jour',
  '7 days': '7 jours',
  '30 days': '30 jours',
  '1 minute': '1 minute',
  '5 minutes': '5 minutes',
  'Payment ID': 'Id. de paiement',
  'Can’t reach the server. Check your connection and try again.':
    'Le service est injoignable. Vérifiez la connexion et réessayez.',
  'Your session expired. Sign in again.': 'Vous n’êtes plus connecté.',
  'This code is wrong or has expired.': 'Ce code est faux ou a expiré.',
  'This server does not accept new accounts.': 'Ce serveur n’accepte pas de nouveaux comptes.',
  'This invitation is no longer valid.': 'Cette invitation n’est plus valable.',
  'Invalid signature.': 'La signature ne correspond pas.',
  'This address can’t be used.': 'Cette adresse ne peut pas être utilisée.',
  'This action isn’t allowed in the payment’s current status.': 'Le paiement ne le permet pas dans son état actuel.',
  'This refund can’t be recorded.': 'Ce remboursement ne peut pas être enregistré.',
  'You don’t have permission for this action.': 'Cela n’est pas permis ici.',
  'Not found in this mode.': 'Cela n’existe pas, ou pas dans ce mode.',
  'Too many requests. Wait a moment and try again.': 'Trop de requêtes à la fois. Attendez un instant et réessayez.',
  'Temporarily unavailable. Try again in a moment.':
    'Ceci n’est pas disponible pour l’instant. Réessayez dans un moment.',
  'Something went wrong on the server. Include the request ID when you report it.':
    'Une erreur s’est produite de notre côté. L’identifiant de la requête aide à la trouver.',
  'You’ve already saved this address for this asset.':
    'Vous avez déjà enregistré cette adresse pour cet actif. Une deuxième ne lui donne qu’un deuxième nom.',
  'You’ve already saved this address for a different asset or network. That’s fine if it’s intended.':
    'Vous avez enregistré cette adresse pour un autre actif ou un autre réseau. C’est bien si c’est voulu.',
  'Another account has also saved this address. Verify ownership, or you can’t assign its unattributed transfers.':
    'Un autre compte a aussi enregistré cette adresse. Prouvez qu’elle est à vous, sinon l’argent sans ' +
    'paiement ne pourra pas être attribué.',
  'This address is a contract, not a regular wallet. That’s fine for a smart wallet or multisig on this network; otherwise funds sent there may be lost.':
    'Un contrat se trouve à cette adresse, pas un portefeuille ordinaire. C’est normal pour un portefeuille ' +
    'intelligent ou un coffre à signatures multiples sur ce réseau précis ; ailleurs, l’argent envoyé là ' +
    'peut être perdu.',
  'This address sent less than this amount to the payment. Ask the customer before you send more than it sent.':
    'Cette adresse a envoyé moins que ce montant pour ce paiement. Demandez au client avant d’envoyer plus ' +
    'que ce qu’elle a envoyé.',
  'This address sent less than 5% of the payment. A stranger can do that to appear in this list.':
    'Cette adresse a envoyé moins de 5 % du paiement. Un inconnu peut le faire pour figurer ici.',
  'This address starts and ends like another address of this payment, but it’s different. Compare every character.':
    'Cette adresse commence et finit comme une autre adresse de ce paiement, mais elle est différente. ' +
    'Comparez chaque caractère.',
  'This address didn’t send anything to this payment. Compare every character with the address the customer gave you.':
    'Cette adresse n’a rien envoyé pour ce paiement. Comparez chaque caractère avec ce que le client vous a indiqué.',
  'This address is a program, not a wallet. Funds sent there are most likely lost.':
    'Un programme se trouve à cette adresse, pas un portefeuille. L’argent envoyé là est très probablement perdu.',
  'The network is unavailable, so we couldn’t check whether this address is a contract.':
    'Le réseau n’a pas répondu : on ne sait pas si un contrat se trouve à cette adresse.',
  'Underpaid: the customer sent less than the total before the checkout expired.':
    'Il est arrivé moins que dû, et le temps est écoulé.',
  'Received after the checkout expired.': 'L’argent est arrivé après l’expiration du paiement.',
  'Received after the quote expired, and no reliable rate was available.':
    'L’argent est arrivé après la fixation du prix, et aucun prix de cette minute n’est connu.',
  'The balance increased, but no transaction shows who sent the funds.':
    'Le solde a augmenté, mais aucune transaction ne montre par qui.',
  'The transaction was reverted.': 'La transaction a échoué sur la chaîne.',
  'The conversion failed and the provider returned the funds to the customer.':
    'La conversion a échoué et le prestataire a rendu l’argent.',
  'The conversion failed and the provider still holds the funds.': 'La conversion a échoué avec l’argent dedans.',
  'The conversion quote had expired.': 'L’offre de conversion avait expiré.',
  'The conversion delivered less than quoted.': 'La conversion a livré moins que promis.',
  'The provider is holding the funds for a compliance review.':
    'Le prestataire retient l’argent pour une vérification.',
  'No matching payment': 'Aucun paiement ouvert ne convient',
  'Payment already paid': 'Le paiement était déjà payé',
  'Payment already refunded': 'Le paiement était déjà remboursé',
  'Wrong asset': 'Un autre actif que celui demandé',
  'Wrong network': 'Un autre réseau que celui demandé',
  'Below the minimum': 'Trop petit pour compter',
  'Accept it or refund it.': 'Acceptez-le ou rendez l’argent.',
  'Check “{label}”.': 'Vérifiez « {label} ».',
  'The server rejected this request.': 'Le service l’a refusé.',
  'Your wallet is still on a different network. Switch it and try again.':
    'Le portefeuille est resté sur un autre réseau. Changez-le là-bas et réessayez.',
  'You rejected the request in your wallet. Nothing was sent.':
    'Vous avez refusé dans le portefeuille. Rien n’a été envoyé.',
  'Your wallet has another pending request. Complete it first.':
    'Le portefeuille a une autre demande ouverte. Répondez-y d’abord.',
  'This network isn’t set up in your wallet. Add it and try again.':
    'Le portefeuille ne connaît pas ce réseau. Ajoutez-le là-bas et réessayez.',
  'Your wallet couldn’t complete the request. Check your wallet before you try again.':
    'Le portefeuille n’a pas pu le faire. Regardez-y avant de réessayer.',
  Delivered: 'Livré',
  Failed: 'Échoué',
  Parked: 'Mis de côté',
  Cancelled: 'Annulé',
  Pending: 'En attente',
  Routing: 'Conversion',
  Settling: 'Règlement',
  Expired: 'Expiré',
  '{count} days': { one: '{count} jour', many: '{count} de jours', other: '{count} jours' },
  '{count} deliveries are requeued.': {
    one: '{count} livraison est de nouveau en route.',
    many: '{count} de livraisons sont de nouveau en route.',
    other: '{count} livraisons sont de nouveau en route.',
  },
  '{count} seconds': { one: '{count} seconde', many: '{count} de secondes', other: '{count} secondes' },
  '{count} characters left': {
    one: '{count} caractère restant',
    many: '{count} de caractères restants',
    other: '{count} caractères restants',
  },
  '{count} payments': { one: '{count} paiement', many: '{count} de paiements', other: '{count} paiements' },
  'The transfer that paid it disappeared from the blockchain. Wait before you ship.':
    'Le transfert qui l’a réglé a disparu de la blockchain. Attendez avant d’expédier.',
  'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.':
    'Nous n’avons pas pu enregistrer cette transaction. Consultez-la dans l’explorateur et envoyez son hash ' +
    'à l’opérateur de ce serveur.',
  'We could not process this transfer automatically. Assign it to a payment or mark it as handled.':
    'Nous n’avons pas pu traiter ce transfert automatiquement. Attribuez-le à un paiement ou marquez-le comme traité.',
  'This address receives more transfers than we list for an unverified wallet. Payments with an exact amount or a reference are found as usual. Verify ownership of the address to list every transfer.':
    'Cette adresse reçoit plus de transferts que nous n’en listons pour un portefeuille non vérifié. Les ' +
    'paiements avec un montant exact ou une référence sont trouvés comme d’habitude. Prouvez que l’adresse ' +
    'est à vous pour lister tous les transferts.',
  'A final transfer of this payment disappeared from the blockchain. It may be mined again within minutes. Wait before you ship. The status does not change.':
    'Un transfert de ce paiement était définitif et a disparu de la blockchain. Il peut être inclus à ' +
    'nouveau dans les minutes qui suivent. Attendez avant d’expédier. Le statut ne change pas.',
  'Not processed automatically': 'Non traité automatiquement',
  'Being processed': 'En cours de traitement',
  '{count} transfers were not listed in the last 24 hours.': {
    one: '{count} transfert n’a pas été listé ces dernières 24 heures.',
    many: '{count} de transferts n’ont pas été listés ces dernières 24 heures.',
    other: '{count} transferts n’ont pas été listés ces dernières 24 heures.',
  },
  '{count} transfers below 0.01 USD were not listed in the last 24 hours.': {
    one: '{count} transfert de moins de 0,01 USD n’a pas été listé ces dernières 24 heures.',
    many: '{count} de transferts de moins de 0,01 USD n’ont pas été listés ces dernières 24 heures.',
    other: '{count} transferts de moins de 0,01 USD n’ont pas été listés ces dernières 24 heures.',
  },
  'Proof required': 'Preuve requise',
  Disputed: 'Contesté',
  'Another account proved this address first. Ask the operator of this server to decide.':
    'Un autre compte a prouvé cette adresse en premier. Demandez à l’exploitant de ce serveur de trancher.',
  'Or send exactly {amount} from this address to itself before {time}, and paste the transaction hash once it is final.':
    'Ou envoyez exactement {amount} de cette adresse à elle-même avant {time}, puis collez le hash de la ' +
    'transaction une fois qu’elle est finale.',
  'Transaction hash': 'Hash de la transaction',
  'You can also sign with a hardware wallet, a contract wallet or on another device. Paste the signature here.':
    'Un portefeuille matériel, une autre machine ou un portefeuille-contrat peut aussi signer. Collez la signature.',
  'Released from another account': 'Repris à un autre compte',
  'Taken by another account': 'Pris par un autre compte',
  Release: 'Reprendre',
  'Release this transfer?': 'Reprendre ce transfert ?',
  'The other account’s payment loses this money, and its merchant is notified. You can assign the transfer afterwards.':
    'Le paiement de l’autre compte perd cet argent, et son marchand en est informé. Vous pourrez ensuite ' +
    'attribuer le transfert.',
  'The owner of the wallet address released the transfer.':
    'Le propriétaire de l’adresse du portefeuille a repris l’argent.',
  'Only these': 'Seulement avec ceci',
  'Keyboard shortcuts': 'Raccourcis clavier',
  'There is nothing at this address.': 'Il n’y a rien à cette adresse.',
  'Search by name, order, amount, email, payment ID, transaction or address':
    'Rechercher par commande, montant, e-mail, ID de paiement, transaction ou adresse',
  'Any time': 'Toute période',
  'Time zone': 'Fuseau horaire',
  'CSV exports are always in UTC.': 'Les exports CSV sont toujours en UTC.',
  'Unsaved changes': 'Modifications non enregistrées',
  Discard: 'Abandonner',
  'Leave without saving?': 'Quitter sans enregistrer ?',
  'Your changes have not been saved.': 'Vos modifications n’ont pas été enregistrées.',
  Show: 'Afficher',
  'Nothing yet': 'Rien pour l’instant',
  Today: 'Aujourd’hui',
  'Last 7 days': '7 derniers jours',
  'Last 30 days': '30 derniers jours',
  'This month': 'Ce mois-ci',
  Money: 'Argent',
  'compared with the {count} days before': {
    one: 'par rapport au jour précédent',
    many: 'par rapport aux {count} jours précédents',
    other: 'par rapport aux {count} jours précédents',
  },
  'Customer not found in this mode': 'Ce client n’existe pas dans ce mode',
  Customers: 'Clients',
  Customer: 'Client',
  Reference: 'Référence',
  'Last payment': 'Dernier paiement',
  'Customers who have paid, as your sessions and payment links name them.':
    'Les clients qui ont payé, tels que vos sessions et liens de paiement les nomment.',
  'No customers yet': 'Pas encore de clients',
  'Send customer with a checkout session. Customers appear here after their first payment.':
    'Envoyez customer avec une session de paiement. Les clients apparaissent ici après leur premier paiement.',
  'Searches the start of a name, an email address or a reference, in this mode.':
    'Recherche le début d’un nom, d’une adresse e-mail ou d’une référence, dans ce mode.',
  'Search customers': 'Rechercher des clients',
  'Search by name, email or reference': 'Rechercher par nom, e-mail ou référence',
  Mails: 'E-mails',
  'You sign in with a wallet, so there is no address for mails to you. Use a webhook instead.':
    'Vous vous connectez avec un portefeuille : il n’y a pas d’adresse pour vous écrire. Utilisez plutôt un webhook.',
  'To {email}. At most 20 a day, then one summary an hour.':
    'À {email}. Au plus 20 par jour, puis un résumé par heure.',
  'A payment is paid': 'Un paiement est payé',
  'A payment needs a decision': 'Un paiement demande une décision',
  'A transfer belongs to no payment': 'Un transfert n’appartient à aucun paiement',
  'Send customers a receipt': 'Envoyer un reçu aux clients',
} satisfies Catalog;
