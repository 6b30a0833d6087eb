/*
 * findings.c - the list of what was found.
 */
#include "doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

void findings_add(struct findings *f, enum finding_level level,
                  const char *subject, const char *advice, const char *fmt, ...)
{
  struct finding *one = &f->of[f->n];
  va_list ap;

  if (f->n == FINDINGS_MAX)
    return;
  f->n++;
  one->level = level;
  one->subject = subject;
  one->advice = advice;
  va_start(ap, fmt);
  (void)vsnprintf(one->text, sizeof(one->text), fmt, ap);
  va_end(ap);
  /* Texts of servers stay on their line. */
  for (char *at = one->text; *at; at++) {
    if ((unsigned char)*at < ' ' || *at == '\x7f')
      *at = ' ';
  }
}

size_t findings_count(const struct findings *f, enum finding_level level)
{
  size_t n = 0;

  for (size_t i = 0; i < f->n; i++)
    n += f->of[i].level == level;
  return n;
}

void findings_print(const struct findings *f, struct strbuf *out)
{
  static const char *const words[] = { "ok", "warn", "fail" };

  for (size_t i = 0; i < f->n; i++) {
    const struct finding *one = &f->of[i];

    strbuf_addf(out, "%-4s  %-12s  %s", words[one->level], one->subject,
                one->text);
    if (one->advice)
      strbuf_addf(out, "; %s", one->advice);
    strbuf_adds(out, "\n");
  }
  strbuf_addf(out, "\n%zu ok, %zu to look at, %zu failed\n",
              findings_count(f, FINDING_OK), findings_count(f, FINDING_WARN),
              findings_count(f, FINDING_FAIL));
}
