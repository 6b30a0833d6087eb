#include "results/page.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "results/page_text.h"

void page_begin(struct strbuf *out, bool live)
{
  strbuf_addf(out,
              "<!DOCTYPE html>\n<html lang=\"en\"><head>"
              "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
              "content=\"width=device-width,initial-scale=1\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\""
              "default-src 'none';style-src 'unsafe-inline';script-src "
              "'unsafe-inline';img-src data:%s\">\n"
              "<link rel=\"icon\" href=\"data:,\">\n<title>bench</title>\n"
              "<style>\n%s</style></head><body><main>\n",
              live ? ";connect-src 'self'" : "", page_style);
}

void page_end(struct strbuf *out, bool live)
{
  /* A block, because a live page becomes a report in the same window, which
   * would refuse the same names. */
  strbuf_addf(out,
              "</main><script>\n'use strict';\n{\n%s%s%s}\n</script></body>"
              "</html>\n",
              page_charts, page_script, live ? page_live : "");
}

void page_add(struct strbuf *out, const char *text)
{
  static const char special[] = "&<>\"'";
  static const char *const names[] = { "amp", "lt", "gt", "quot", "#39" };
  struct strbuf shown = { 0 };

  utf8_add_shown(&shown, text, strlen(text), "\n\t");
  out->failed |= shown.failed;
  for (const char *c = strbuf_str(&shown); *c;) {
    const unsigned n = utf8_length(c);
    const char *at = strchr(special, *c);

    if (at)
      strbuf_addf(out, "&%s;", names[at - special]);
    else if (n == 0)
      strbuf_adds(out, "?");
    else
      strbuf_add(out, c, n);
    c += n > 0 ? n : 1;
  }
  strbuf_done(&shown);
}
