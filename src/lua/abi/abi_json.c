/*
 * abi_json.c - the documents of the script json, so that it can judge what it
 * reads.
 */
#include "base/ffi_api.h"
#include "load/kinds/json.h"

/*
 * Writes document `id` after `n` updates, and returns its length; 0 if there is
 * no such document.  `param` has the number of documents, that of groups, the
 * length of the body and the seed; `to` has 1200 bytes.
 */
int bench_json_document(const double *param, double id, double n, char *to)
{
  uint64_t value[JSON_PARAMS];

  /* No comparison holds for NaN. */
  if (!(id >= 1 && id <= param[JSON_DOCUMENTS] &&
        param[JSON_DOCUMENTS] < 0x1p31 && n >= 0 && n < 0x1p53 &&
        param[JSON_GROUPS] >= 1 && param[JSON_GROUPS] < 0x1p31 &&
        param[JSON_BODY] >= 1 && param[JSON_BODY] <= JSON_BODY_MAX &&
        param[JSON_SEED] >= 0 && param[JSON_SEED] < 0x1p63))
    return 0;
  for (unsigned i = 0; i < JSON_PARAMS; i++)
    value[i] = (uint64_t)param[i];
  return (int)json_write(value, (uint64_t)id, (uint64_t)n, to);
}
