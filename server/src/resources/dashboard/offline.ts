import type { Locale } from '@quittance/contract';
import type { FastifyInstance } from 'fastify';
import { sha256Source } from '../../platform/http/page.ts';

/** Where the dashboard keeps its language for this page. */
const SHOWN_LOCALE = 'shown_locale';

const TEXTS: Record<Locale, { title: string; text: string; again: string }> = {
  en: {
    title: 'Can’t reach the server',
    text: 'You’re offline, or the server isn’t running. Customers’ payments on the networks aren’t lost.',
    again: 'Try again',
  },
  ar: {
    title: 'تعذّر الوصول إلى الخادم',
    text: 'أنت غير متصل بالإنترنت، أو أن الخادم لا يعمل. لا تضيع مدفوعات العملاء على الشبكات.',
    again: 'أعد المحاولة',
  },
  de: {
    title: 'Der Server ist nicht erreichbar',
    text: 'Sie sind offline, oder der Server läuft nicht. Zahlungen von Kunden in den Netzwerken gehen nicht verloren.',
    again: 'Erneut versuchen',
  },
  es: {
    title: 'No se puede acceder al servidor',
    text: 'No tiene conexión o el servidor no está en marcha. Los pagos de los clientes en las redes no se pierden.',
    again: 'Reintentar',
  },
  fr: {
    title: 'Impossible de joindre le serveur',
    text: 'Vous êtes hors ligne, ou le serveur est arrêté. Les paiements des clients sur les réseaux ne sont pas perdus.',
    again: 'Réessayer',
  },
  hi: {
    title: 'सर्वर तक नहीं पहुँच सके',
    text: 'आप ऑफ़लाइन हैं, या सर्वर चल नहीं रहा है। नेटवर्क पर ग्राहकों के भुगतान खोते नहीं हैं।',
    again: 'फिर कोशिश करें',
  },
  ja: {
    title: 'サーバーに接続できません',
    text: 'オフラインか、サーバーが停止しています。ネットワーク上の顧客の支払いは失われません。',
    again: '再試行',
  },
  'pt-BR': {
    title: 'Não foi possível acessar o servidor',
    text: 'Você está offline ou o servidor está parado. Os pagamentos dos clientes nas redes não se perdem.',
    again: 'Tentar novamente',
  },
  ru: {
    title: 'Сервер недоступен',
    text: 'Нет подключения к интернету, или сервер не запущен. Платежи клиентов в сетях не пропадут.',
    again: 'Повторить',
  },
  tr: {
    title: 'Sunucuya ulaşılamıyor',
    text: 'Çevrimdışısınız ya da sunucu çalışmıyor. Müşterilerin ağlardaki ödemeleri kaybolmaz.',
    again: 'Tekrar dene',
  },
  ur: {
    title: 'سرور تک رسائی نہیں ہو سکی',
    text: 'آپ آف لائن ہیں، یا سرور نہیں چل رہا۔ نیٹ ورکس پر گاہکوں کی ادائیگیاں ضائع نہیں ہوتیں۔',
    again: 'دوبارہ کوشش کریں',
  },
  'zh-CN': {
    title: '无法连接到服务器',
    text: '您已离线，或服务器未运行。客户在网络上的付款不会丢失。',
    again: '重试',
  },
};

/** Puts the sentences of the language that the dashboard last had in this browser in place of the English ones. */
const TRANSLATE = `const TEXTS = ${JSON.stringify(TEXTS)};
const locale = localStorage.getItem(${JSON.stringify(SHOWN_LOCALE)});
if (Object.hasOwn(TEXTS, locale)) {
  const { title, text, again } = TEXTS[locale];
  document.documentElement.lang = locale;
  document.title = title + ' · Quittance';
  document.querySelector('h1').textContent = title;
  document.querySelector('p').textContent = text;
  document.querySelector('a').textContent = again;
}
`;

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${TEXTS.en.title} · Quittance</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 12px; padding: 24px;
  box-sizing: border-box; text-align: center; font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#f7f8fa, #0e1015); color: light-dark(#151821, #eceef4) }
h1 { margin: 0; font-size: 22px; line-height: 1.3 }
p { margin: 0; max-width: 30em; color: light-dark(#596072, #a2a9b9) }
a { margin-top: 8px; padding: 9px 18px; border-radius: 8px; background: light-dark(#4540d6, #a8b0ff);
  color: light-dark(#fff, #12142b); font-weight: 500; text-decoration: none }
</style></head><body dir="auto"><h1>${TEXTS.en.title}</h1><p>${TEXTS.en.text}</p><a href="">${TEXTS.en.again}</a>
<script>${TRANSLATE}</script></body></html>`;

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src ${sha256Source(TRANSLATE)}`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The script that shows a page of its own instead of the browser's where the dashboard cannot be loaded. It keeps nothing
 * but itself, and each visit looks for a newer one, which follows once all pages of the old one are closed: where a worker
 * takes over from one that is at work, browsers may let visits wait. An old one shows an old sentence at worst.
 */
const SCRIPT = `const PAGE = ${JSON.stringify(PAGE)};
const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': ${JSON.stringify(POLICY)} };
const page = () => new Response(PAGE, { status: 503, headers: HEADERS });
// A proxy that cannot reach the service answers without the id that each answer of the service has.
const isOfProxy = ({ status, headers }) => status >= 502 && status <= 504 && !headers.has('request-id');
addEventListener('fetch', (event) => {
  const { destination, method, mode } = event.request;
  if (mode !== 'navigate' || destination !== 'document' || method !== 'GET') return;
  event.respondWith(fetch(event.request).then((answer) => (isOfProxy(answer) ? page() : answer), page));
});
`;

export function serveOffline(server: FastifyInstance): void {
  server.get('/dashboard/offline.js', (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({
        // It asks for the pages that it does not answer.
        'content-security-policy': "default-src 'none'; connect-src 'self'",
        // Without the slash that its own folder ends with.
        'service-worker-allowed': '/dashboard',
      })
      .send(SCRIPT),
  );
}
