/*
 * findings.c - a list of findings.
 */
#include "doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "results/jobj.h"

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
  /* Servers' texts may have line ends. */
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

static const char *const words[] = { "ok", "warn", "fail" };

static json_t *finding_json(const struct finding *one)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "level", words[one->level]);
  jobj_text(&o, "subject", one->subject);
  jobj_text(&o, "text", one->text);
  if (one->advice)
    jobj_text(&o, "advice", one->advice);
  else
    jobj_null(&o, "advice");
  return jobj_take(&o);
}

json_t *findings_json(const struct findings *f)
{
  struct jobj o = jobj_new();
  json_t *list = json_array();

  for (size_t i = 0; list && i < f->n; i++) {
    if (!jobj_array_add(list, finding_json(&f->of[i]))) {
      json_decref(list);
      list = NULL;
    }
  }
  for (size_t i = 0; i < ARRAY_SIZE(words); i++)
    jobj_int(&o, words[i], findings_count(f, (enum finding_level)i));
  jobj_add(&o, "findings", list);
  return jobj_take(&o);
}

void findings_print(const struct findings *f, struct strbuf *out)
{

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
