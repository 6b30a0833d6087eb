/*
 * fuzz_hdr_decode.c - whatever a result file has in the place of a histogram:
 * it is refused, or read as counts that can be written and read again.
 *
 * Input: a byte of flags, then the text; or, with the flag, what is packed and
 * encoded here, because a fuzzer does not guess checksums.
 */
#include <errno.h>
#include <zlib.h>

#include "../unit/same_sum.h"
#include "base/strbuf.h"
#include "input.h"
#include "results/hdr_log.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"

enum {
  FLAG_PACK = 1,
  HEADER = 8,
};

static void put_u32(uint8_t *to, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static char *pack(struct input *in)
{
  uLongf packed = compressBound(in->left);
  uint8_t *bytes = malloc(HEADER + packed);
  struct strbuf text = { 0 };

  MUST(bytes);
  MUST(compress2(bytes + HEADER, &packed, in->at, in->left, 1) == Z_OK);
  put_u32(bytes, 0x1c849304u | 0x10u);
  put_u32(bytes + 4, (uint32_t)packed);
  hdr_encode_base64(&text, bytes, HEADER + packed);
  free(bytes);
  MUST(text.text && !text.failed);
  return text.text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  struct hist_sum *h = hist_sum_new(), *back = hist_sum_new();
  char *text = input_byte(&in) & FLAG_PACK ? pack(&in)
                                           : input_text(&in, 1 << 20);
  int rc;

  MUST(h && back);
  h->total = 42;
  rc = hdr_decode_text(h, text);
  MUST(rc == 0 || rc == -EINVAL);
  if (rc < 0) {
    MUST(h->total == 42);
  } else {
    struct strbuf again = { 0 };
    uint64_t sum = 0;

    for (unsigned i = 0; i < HIST_BUCKETS; i++)
      MUST(!__builtin_add_overflow(sum, hist_sum_at(h, i), &sum));
    MUST(sum == h->total);
    (void)hist_percentile(h, 99);
    MUST(hdr_encode_text(&again, h) == 0);
    MUST(hdr_decode_text(back, strbuf_str(&again)) == 0);
    MUST(same_sum(h, back));
    strbuf_done(&again);
  }
  free(text);
  hist_sum_free(back);
  hist_sum_free(h);
  return 0;
}
