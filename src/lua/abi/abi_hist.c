/*
 * abi_hist.c - histograms that scripts create.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "report/grid.h"

struct histogram {
  struct grid grid;
  uint64_t count[]; /* of those in memory of a script */
};

sb_histogram_t *sb_histogram_new(size_t size, double range_min,
                                 double range_max)
{
  sb_histogram_t *h = malloc(sizeof(*h));
  struct err err;

  if (h && grid_init(&h->grid, size, range_min, range_max, &err) < 0) {
    free(h);
    return NULL;
  }
  return h;
}

void sb_histogram_delete(sb_histogram_t *h)
{
  if (h)
    grid_done(&h->grid);
  free(h);
}

size_t bench_grid_bytes(double size)
{
  return sizeof(struct histogram) + (size_t)size * sizeof(uint64_t);
}

sb_histogram_t *bench_grid_place(void *zeroed, double size, double range_min,
                                 double range_max)
{
  sb_histogram_t *h = zeroed;
  struct err err;

  return grid_place(&h->grid, h->count, (size_t)size, range_min, range_max,
                    &err) < 0
           ? NULL
           : h;
}

void sb_histogram_update(sb_histogram_t *h, double value)
{
  (void)grid_update(&h->grid, value); /* NaN is not counted */
}

void sb_histogram_print(sb_histogram_t *h)
{
  struct strbuf b = { 0 };

  grid_print(&b, &h->grid);
  (void)fwrite(strbuf_str(&b), 1, b.len, stdout);
  strbuf_done(&b);
}
