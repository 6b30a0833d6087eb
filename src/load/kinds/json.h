/*
 * json.h - the documents of the script json: what each contains when it was
 * loaded, and after so many updates.
 *
 * A document has five members: k, the group that it belongs to; n, how often it
 * was updated; id; body, a text; tags, three numbers.  An update adds one to n
 * and moves the document to the next group.
 */
#ifndef BENCH_LOAD_KINDS_JSON_H
#define BENCH_LOAD_KINDS_JSON_H

#include <stddef.h>
#include <stdint.h>

/* The parameters of the kind. */
enum json_param {
  JSON_DOCUMENTS,
  JSON_GROUPS, /* values of k: 1 to this */
  JSON_BODY,   /* characters of the body */
  JSON_SEED,
  JSON_PARAMS,
};

enum {
  JSON_BODY_MAX = 1000,
  JSON_TEXT_MAX = JSON_BODY_MAX + 200, /* bytes of a document */
};

/* Write document `id` after `n` updates, and return its length.  PostgreSQL and
 * MySQL show it with the same spaces and in the same order.  `param` is indexed
 * by enum json_param. */
size_t json_write(const uint64_t *param, uint64_t id, uint64_t n,
                  char to[JSON_TEXT_MAX]);

#endif
