/*
 * page.c - the frame of pages.
 */
#include "results/page.h"

#include "base/strbuf.h"
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
   * would not take the same names again. */
  strbuf_addf(out,
              "</main><script>\n'use strict';\n{\n%s%s%s}\n</script></body>"
              "</html>\n",
              page_charts, page_script, live ? page_live : "");
}
