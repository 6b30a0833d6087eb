#include "db/load/kinds/kind_list.h"

#include <string.h>

const struct kind *const kind_list[] = {
  &kind_sbtest, &kind_bank, &kind_counter, &kind_json, &kind_secondary,
  &kind_tpcb,   &kind_tpcc, &kind_ycsb,    NULL,
};

const struct kind *kind_find(const char *name)
{
  for (const struct kind *const *k = kind_list; *k; k++) {
    if (strcmp((*k)->name, name) == 0)
      return *k;
  }
  return NULL;
}
