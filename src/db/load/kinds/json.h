/*
 * json.h - the documents of the script json, after any number of updates.
 *
 * Members: k, a group; n, the number of updates; id; body, a text; tags, three
 * numbers.  An update adds one to n and moves the document to the next group.
 */
#ifndef BENCH_LOAD_KINDS_JSON_H
#define BENCH_LOAD_KINDS_JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_param {
  JSON_DOCUMENTS,
  JSON_GROUPS, /* k is 1..groups */
  JSON_BODY,   /* characters */
  JSON_SEED,
  JSON_PARAMS,
};

enum {
  JSON_BODY_MAX = 1000,
  JSON_TEXT_MAX = JSON_BODY_MAX + 200, /* bytes of a document */
};

/* Document `id` after `n` updates; returns its length.  Spaces and order are
 * those of PostgreSQL and MySQL.  `param`: enum json_param. */
size_t json_write(const uint64_t *param, uint64_t id, uint64_t n,
                  char to[JSON_TEXT_MAX]);

#endif
