/*
 * layout.c - the number and size of files, and how requests divide them.
 */
#include "tests/fileio/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "tests/fileio/options.h"

/* ---- the sizes of requests ---- */

enum {
  ITEM_ROOM = 64
};

/* The weight of a single item is optional. */
static int blocks_parse_item(char *item, bool alone, uint64_t *ret_size,
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

static void blocks_set_shares(struct blocks *b)
{
  double sum = 0, upto = 0;

  for (unsigned i = 0; i < b->n; i++)
    sum += b->percent[i];
  b->smallest = b->largest = b->size[0];
  for (unsigned i = 0; i < b->n; i++) {
    upto += b->percent[i] / sum;
    b->percent[i] *= 100 / sum;
    /* 2^64 does not fit; the last limit is not used. */
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
    if (blocks_parse_item(item, b.n == 0 && !more, &b.size[b.n],
                          &b.percent[b.n]) < 0)
      return -EINVAL;
    p += len + 1;
  }
  blocks_set_shares(&b);
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

/* ---- layout ---- */

static uint64_t layout_divide_up(uint64_t n, uint64_t by)
{
  return n / by + (n % by != 0);
}

/* Merged blocks; 1 in modes that never merge. */
static uint64_t layout_blocks_per_request(const struct fileio_cfg *cfg,
                                          int mode)
{
  const bool merges = mode == FILE_MODE_SEQWR || mode == FILE_MODE_SEQREWR ||
                      mode == FILE_MODE_SEQRD;

  return merges && cfg->merged > 0 ? cfg->merged : 1;
}

int layout_init(struct layout *l, const struct fileio_cfg *cfg,
                uint64_t device_bytes, int mode, bool validate, struct err *err)
{
  const uint64_t merged = layout_blocks_per_request(cfg, mode);
  struct blocks b;

  if (blocks_parse(cfg->block_size, &b) < 0)
    return err_set(err, -EINVAL, "Invalid value for --file-block-size: '%s'",
                   cfg->block_size);
  if (b.n > 1 && (validate || (mode >= 0 && !file_mode_random(mode))))
    return err_set(err, -EINVAL,
                   "Invalid value for --file-block-size: '%s' (expected one "
                   "size %s)",
                   cfg->block_size,
                   validate ? "with --validate" : "in this --file-test-mode");
  if (cfg->trim > 0 && validate)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-trim: '%g' (expected 0 with "
                   "--validate)",
                   cfg->trim);
  if (device_bytes == 0 && cfg->total_size < cfg->num)
    return err_set(
      err, -EINVAL,
      "Invalid value for --file-total-size: '%" PRIu64
      "' (expected a size of at least one byte for each of %" PRIu64 " files)",
      cfg->total_size, cfg->num);
  if (validate && b.smallest < LAYOUT_MIN_CHECKED)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-block-size: '%" PRIu64
                   "' (expected a size of at least %d with --validate)",
                   b.smallest, LAYOUT_MIN_CHECKED);
  if (b.largest > LAYOUT_MAX_BYTES)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-block-size: '%" PRIu64
                   "' (expected a size of at most %" PRIu64
                   ", the largest request of the system)",
                   b.largest, LAYOUT_MAX_BYTES);
  if (cfg->merged > INT64_MAX / b.largest)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-merged-requests: '%" PRIu64
                   "' (expected an integer from 0 to %" PRIu64 ")",
                   cfg->merged, INT64_MAX / b.largest);
  if (merged > LAYOUT_MAX_BYTES / b.largest)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-merged-requests: '%" PRIu64
                   "' (expected at most %" PRIu64 " blocks of %" PRIu64
                   " bytes, the largest request of the system)",
                   cfg->merged, LAYOUT_MAX_BYTES / b.largest, b.largest);

  if (device_bytes > 0 && device_bytes < b.largest)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-block-size: '%" PRIu64
                   "' (expected at most the %" PRIu64 " bytes of the device)",
                   b.largest, device_bytes);

  l->files = device_bytes > 0 ? 1 : cfg->num;
  l->file_bytes = device_bytes > 0 ? device_bytes / b.largest * b.largest
                                   : cfg->total_size / cfg->num;
  l->blocks = b;
  l->block = b.largest;
  l->request = merged * b.smallest;
  l->per_file = layout_divide_up(l->file_bytes, l->request);
  l->places = l->files * l->per_file;
  return 0;
}

int layout_check_direct(const struct layout *l, uint64_t align, struct err *err)
{
  for (unsigned i = 0; i < l->blocks.n; i++) {
    if (l->blocks.size[i] % align != 0)
      return err_set(err, -EINVAL,
                     "Invalid value for --file-block-size: '%" PRIu64
                     "' (expected a multiple of %" PRIu64
                     " bytes, which direct I/O needs here)",
                     l->blocks.size[i], align);
  }
  if (l->file_bytes % align != 0)
    return err_set(err, -EINVAL,
                   "Invalid value for --file-total-size: each file would have "
                   "%" PRIu64 " bytes (expected a multiple of %" PRIu64
                   " bytes, which direct I/O needs here)",
                   l->file_bytes, align);
  return 0;
}

const char *layout_size_text(uint64_t bytes, char *buf, size_t room)
{
  static const char *const unit[] = { "", "Ki", "Mi", "Gi", "Ti" };
  double value = (double)bytes;
  unsigned u = 0;

  for (; value >= 1024.0 && u + 1 < sizeof(unit) / sizeof(unit[0]); u++)
    value /= 1024.0;
  (void)snprintf(buf, room, "%.5g%s", value, unit[u]);
  return buf;
}
