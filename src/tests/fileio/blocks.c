/*
 * blocks.c - the sizes of requests.
 */
#include "tests/fileio/blocks.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/strbuf.h"
#include "tests/fileio/layout.h"

enum {
  ITEM_ROOM = 64
};

/*
 * Parses one item, without the comma.  The weight of an item that is alone is
 * optional.
 */
static int parse_item(char *item, bool alone, uint64_t *ret_size,
                      double *ret_weight)
{
  char *at = strchr(item, '@');

  *ret_weight = 1;
  if (!at && !alone)
    return -EINVAL;
  if (at) {
    *at++ = '\0';
    if (parse_double(at, ret_weight) < 0 || !(*ret_weight > 0) ||
        *ret_weight > 1e9)
      return -EINVAL;
  }
  return parse_size(item, ret_size) < 0 || *ret_size == 0 ? -EINVAL : 0;
}

static void set_shares(struct blocks *b)
{
  double sum = 0, upto = 0;

  for (unsigned i = 0; i < b->n; i++)
    sum += b->percent[i];
  b->smallest = b->largest = b->size[0];
  for (unsigned i = 0; i < b->n; i++) {
    upto += b->percent[i] / sum;
    b->percent[i] *= 100 / sum;
    /* 2^64 itself does not fit; the limit of the last size is not used. */
    b->below[i] = upto < 1 ? (uint64_t)(upto * 0x1p64) : UINT64_MAX;
    if (b->size[i] < b->smallest)
      b->smallest = b->size[i];
    if (b->size[i] > b->largest)
      b->largest = b->size[i];
  }
}

int blocks_parse(const char *text, struct blocks *ret)
{
  struct blocks b = { 0 };
  char item[ITEM_ROOM];
  bool more = true;

  for (const char *p = text; more; b.n++) {
    const size_t len = strcspn(p, ",");

    more = p[len] == ',';
    if (len >= sizeof(item) || b.n == BLOCKS_MAX)
      return -EINVAL;
    memcpy(item, p, len);
    item[len] = '\0';
    if (parse_item(item, b.n == 0 && !more, &b.size[b.n], &b.percent[b.n]) < 0)
      return -EINVAL;
    p += len + 1;
  }
  set_shares(&b);
  *ret = b;
  return 0;
}

bool blocks_good(const char *text)
{
  struct blocks b;

  return blocks_parse(text, &b) == 0;
}

void blocks_describe(const struct blocks *b, struct strbuf *out)
{
  char size[32];

  strbuf_adds(out, b->n == 1 ? "Block size " : "Block sizes ");
  for (unsigned i = 0; i < b->n; i++) {
    strbuf_addf(out, "%s%sB", i > 0 ? ", " : "",
                layout_size_text(b->size[i], size, sizeof(size)));
    if (b->n > 1)
      strbuf_addf(out, " (%.3g%%)", b->percent[i]);
  }
}
