/*
 * html.c - parts of a self-contained HTML page.
 */
#include "tools/html.h"

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "tools/table.h"

/* Colours that colour-blind readers can tell apart (Okabe and Ito), with a dash
 * pattern each for grey printers. */
static const char style[] =
  ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;"
  "--grid:#e3e6ea;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b0508c;"
  "--c4:#a67c00;--c5:#3a8fc4;--c6:#555;--c7:#8b4513}\n"
  "@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e6e9ec;"
  "--dim:#9aa4af;--grid:#2c323a;--c0:#56b4e9;--c1:#ff9a4d;--c2:#2fd6a4;"
  "--c3:#e58fc4;--c4:#f0e442;--c5:#8ab4f8;--c6:#bbb;--c7:#d8a47f}}\n"
  "@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--grid:#ddd;"
  "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b0508c;--c4:#a67c00;"
  "--c5:#3a8fc4;--c6:#555;--c7:#8b4513}figure,tr{break-inside:avoid}"
  "h2{break-after:avoid}body{padding:0!important;max-width:none!important}"
  ".scroll{overflow:visible!important}table{font-size:"
  "10px!important}th,td{padding:2px 4px!important}}\n"
  "*{box-sizing:border-box}body{margin:0 auto;max-width:1180px;padding:24px;"
  "background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
  "h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 8px;"
  "border-bottom:1px solid var(--grid)}h3{font-size:15px;margin:16px 0 4px}"
  "p{margin:8px 0}"
  ".dim{color:var(--dim)}\n"
  ".charts{display:grid;grid-template-columns:"
  "repeat(auto-fit,minmax(min(100%,500px),1fr));gap:16px}\n"
  "figure{margin:0;border:1px solid var(--grid);border-radius:6px;"
  "padding:10px;min-width:0}figcaption{font-weight:600}\n"
  ".legend{margin:2px 0;font-size:13px;display:flex;flex-wrap:wrap;"
  "gap:2px 14px;color:var(--dim)}.legend svg{vertical-align:middle}\n"
  "figure>svg{display:block;width:100%;height:auto}"
  "svg text{font:12px system-ui,sans-serif;fill:var(--dim)}"
  "svg .strong{font-weight:600;fill:var(--fg);stroke:var(--bg);"
  "stroke-width:4px;paint-order:stroke}\n"
  ".grid,.tick{stroke:var(--grid)}.axis{stroke:var(--dim);fill:none}"
  ".line{fill:none;stroke-width:1.8;stroke-linejoin:round}"
  ".dashed{stroke-dasharray:5 5!important}"
  ".solid{stroke-dasharray:none!important}"
  ".thin{stroke-width:1.2;stroke-dasharray:none!important}"
  ".down{fill:#d33;opacity:.3}.slow{fill:#e90;opacity:.2}"
  ".mark{fill:none;stroke:var(--fg);stroke-width:1.5}"
  ".heat{fill:var(--c1)}\n"
  ".line.c0{stroke:var(--c0)}.line.c1{stroke:var(--c1);stroke-dasharray:7 3}"
  ".line.c2{stroke:var(--c2);stroke-dasharray:4 2}"
  ".line.c3{stroke:var(--c3);stroke-dasharray:9 3 2 3}"
  ".line.c4{stroke:var(--c4);stroke-dasharray:12 4}"
  ".line.c5{stroke:var(--c5);stroke-dasharray:2 2}"
  ".line.c6{stroke:var(--c6);stroke-dasharray:1 2}"
  ".line.c7{stroke:var(--c7);stroke-dasharray:5 2 1 2}\n"
  ".dot.c0{fill:var(--c0)}.dot.c1{fill:var(--c1)}.dot.c2{fill:var(--c2)}"
  ".dot.c3{fill:var(--c3)}.dot.c4{fill:var(--c4)}.dot.c5{fill:var(--c5)}"
  ".dot.c6{fill:var(--c6)}.dot.c7{fill:var(--c7)}\n"
  ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px;"
  "font-variant-numeric:tabular-nums}th,td{padding:3px 6px;text-align:left;"
  "border-bottom:1px solid var(--grid);vertical-align:top;"
  "overflow-wrap:break-word;max-width:560px}th{color:var(--dim);font-weight:"
  "600;"
  "white-space:nowrap}td:first-child:not(.n){min-width:4em}td.n,th.n{text-"
  "align:right;white-space:nowrap}\n"
  "ul{padding-left:20px;margin:4px 0}\n";

/* The length of the character at `text`, if it is valid and allowed in a page;
 * else 0. */
static unsigned character(const char *text)
{
  if ((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t')
    return 0;
  return utf8_length(text);
}

static const char *escape(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

void html_add(struct strbuf *out, const char *text)
{
  while (*text) {
    const unsigned n = character(text);
    const char *escaped = escape(*text);

    if (escaped)
      strbuf_adds(out, escaped);
    else if (n == 0)
      strbuf_adds(out, "?");
    else
      strbuf_add(out, text, n);
    text += n > 0 ? n : 1;
  }
}

void html_begin(struct strbuf *out, const char *title)
{
  strbuf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                   "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width,initial-scale=1\">\n<title>");
  html_add(out, title);
  strbuf_addf(out, "</title>\n<style>\n%s</style></head><body>\n<h1>", style);
  html_add(out, title);
  strbuf_adds(out, "</h1>\n");
}

void html_end(struct strbuf *out)
{
  strbuf_adds(out, "</body></html>\n");
}

static void element(struct strbuf *out, const char *name, const char *text)
{
  strbuf_addf(out, "<%s>", name);
  html_add(out, text);
  strbuf_addf(out, "</%s>\n", name);
}

void html_heading(struct strbuf *out, const char *text)
{
  element(out, "h2", text);
}

void html_subheading(struct strbuf *out, const char *text)
{
  strbuf_adds(out, "<h3>");
  html_add(out, text);
  strbuf_adds(out, "</h3>\n");
}

void html_paragraph(struct strbuf *out, const char *text)
{
  element(out, "p", text);
}

void html_table(struct strbuf *out, const struct table *t)
{
  const size_t rows = t->columns > 0 ? t->n / t->columns : 0;

  out->failed = out->failed || t->failed;
  strbuf_adds(out, "<div class=\"scroll\"><table>\n");
  for (size_t r = 0; r < rows; r++) {
    const char *name = r == 0 ? "th" : "td";

    strbuf_adds(out, "<tr>");
    for (size_t c = 0; c < t->columns; c++) {
      strbuf_addf(out, "<%s%s>", name,
                  table_right_aligned(t, c) ? " class=\"n\"" : "");
      html_add(out, t->cells[r * t->columns + c]);
      strbuf_addf(out, "</%s>", name);
    }
    strbuf_adds(out, "</tr>\n");
  }
  strbuf_adds(out, "</table></div>\n");
}
