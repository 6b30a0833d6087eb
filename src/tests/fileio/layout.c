#include "tests/fileio/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/fileio/options.h"

void layout_describe_blocks(const struct blocks *b, struct strbuf *out)
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
