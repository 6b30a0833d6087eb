#include "tools/classes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/result.h"

static int classes_by_time(const void *a, const void *b)
{
  const struct class_row *x = a, *y = b;

  if (x->total_ns != y->total_ns)
    return x->total_ns < y->total_ns ? 1 : -1;
  return x->place < y->place ? -1 : x->place > y->place;
}

int class_rows_init(struct class_rows *ret, const json_t *classes)
{
  const size_t n = json_array_size(classes);
  struct class_row *rows = calloc(n + 1, sizeof(*rows));
  double all_ns = 0;

  if (!rows)
    return -ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const json_t *c = json_array_get(classes, i);
    const double total_ns = result_number_at(c, "count") *
                            result_number_at(c, "latency_ns.mean");

    rows[i] = (struct class_row){
      .json = c,
      .name = result_text_at(c, "name"),
      .total_ns = isfinite(total_ns) && total_ns > 0 ? total_ns : 0,
      .place = i,
    };
    all_ns += rows[i].total_ns;
  }
  for (size_t i = 0; i < n && all_ns > 0; i++)
    rows[i].share = rows[i].total_ns / all_ns;
  qsort(rows, n, sizeof(*rows), classes_by_time);
  *ret = (struct class_rows){ rows, n };
  return 0;
}

void class_rows_done(struct class_rows *rows)
{
  free(rows->of);
  *rows = (struct class_rows){ 0 };
}
