/*
 * marks.c - moments with a text, on the time axis of all outputs.
 */
#include "report/marks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/utf8.h"

struct mark {
  uint64_t at_ns;
  char text[MARK_TEXT];
};

struct marks {
  uint64_t base_ns;
  _Atomic unsigned n; /* publishes the marks below it */
  _Atomic uint64_t lost;
  struct mark of[MARKS_MAX];
};

struct marks *marks_new(void)
{
  return calloc(1, sizeof(struct marks));
}

void marks_free(struct marks *m)
{
  free(m);
}

void marks_begin(struct marks *m, uint64_t base_ns)
{
  m->base_ns = base_ns;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

/* Text that may be anything as text that terminals and files take. */
static void make_safe(struct strbuf *out, const char *line, size_t len)
{
  struct strbuf text = { 0 }, valid = { 0 };

  strbuf_add(&text, line, len);
  if (utf8_is_valid(strbuf_str(&text))) {
    utf8_add_shown(out, line, strlen(strbuf_str(&text)), "");
  } else {
    for (size_t i = 0; i < len && line[i] != '\0'; i++)
      utf8_add_latin1(&valid, line[i]);
    utf8_add_shown(out, strbuf_str(&valid), valid.len, "");
  }
  out->failed |= text.failed || valid.failed;
  strbuf_done(&text);
  strbuf_done(&valid);
}

bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns)
{
  const unsigned n = atomic_load_explicit(&m->n, memory_order_relaxed);
  struct strbuf text = { 0 };
  size_t kept;

  while (len > 0 && is_blank(line[len - 1]))
    len--;
  for (; len > 0 && is_blank(*line); len--)
    line++;
  if (len == 0)
    return false;
  make_safe(&text, line, len);
  if (n == MARKS_MAX || text.failed) {
    atomic_fetch_add(&m->lost, 1);
    strbuf_done(&text);
    return false;
  }
  kept = utf8_cut(strbuf_str(&text), MARK_TEXT - 1);
  memcpy(m->of[n].text, strbuf_str(&text), kept);
  m->of[n].text[kept] = '\0';
  m->of[n].at_ns = now_ns;
  atomic_store_explicit(&m->n, n + 1, memory_order_release);
  strbuf_done(&text);
  return true;
}

unsigned marks_count(const struct marks *m)
{
  return m ? atomic_load_explicit(&m->n, memory_order_acquire) : 0;
}

const char *mark_text(const struct marks *m, unsigned i)
{
  return m->of[i].text;
}

double mark_at_s(const struct marks *m, unsigned i)
{
  return ((double)m->of[i].at_ns - (double)m->base_ns) / (double)NS_PER_S;
}

unsigned marks_until(const struct marks *m, uint64_t at_ns)
{
  unsigned n = marks_count(m);

  while (n > 0 && m->of[n - 1].at_ns > at_ns)
    n--;
  return n;
}

uint64_t marks_lost(const struct marks *m)
{
  return m ? atomic_load(&m->lost) : 0;
}
