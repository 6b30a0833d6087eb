/*
 * bulk_rows.c - rows of a bulk insert as the text of one statement.
 */
#include "db/bulk_rows.h"

#include <string.h>

#include "base/compiler.h"

void bulk_rows_cut(struct bulk *b, uint64_t rows, size_t len)
{
  b->rows = rows;
  b->text.len = len;
  if (b->text.text)
    b->text.text[len] = '\0';
}

void bulk_rows_mark(struct bulk *b, uint64_t event)
{
  b->event = event;
  b->event_rows = b->rows;
  b->event_len = b->text.len;
}

void bulk_rows_rewind(struct bulk *b)
{
  bulk_rows_cut(b, 0, b->prefix_len);
  bulk_rows_mark(b, b->event);
}

/* Most rows find room: scripts add them one by one, by the million. */
void bulk_rows_add(struct bulk *b, const char *row, size_t len)
{
  struct strbuf *text = &b->text;
  const bool more = b->rows > 0;
  char *to;

  if (UNLIKELY(len >= text->room || text->room - len - 1 <= text->len + more)) {
    if (more)
      strbuf_add(text, ",", 1);
    strbuf_add(text, row, len);
    return;
  }
  to = text->text + text->len;
  *to = ','; /* overwritten by the first row */
  memcpy(to + more, row, len);
  text->len += more + len;
  text->text[text->len] = '\0';
}
