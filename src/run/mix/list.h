/*
 * list.h - the members of a mix, as --mix names them.
 *
 *   [NAME=]SCRIPT[@WEIGHT]                   weights, in all members
 *   [NAME=]SCRIPT:CLIENTS[:rate=PER_SECOND]  clients of its own, in all members
 */
#ifndef BENCH_MIX_LIST_H
#define BENCH_MIX_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "opt/opt.h"
#include <stdint.h>

struct err;

enum {
  MIX_MEMBERS_MAX = 64,
  MIX_WEIGHT_MAX = 1000000,
};

enum mix_order {
  MIX_RANDOM,
  MIX_DECK, /* without replacement */
};

struct mix_cfg {
  struct opt_list members; /* see mix_list_parse() */
  int order;               /* enum mix_order */
};

extern const struct opt mix_opts[];

struct mix_member {
  char *name;       /* owned */
  char *script;     /* owned */
  unsigned weight;  /* 0: clients of their own */
  unsigned clients; /* 0: weights */
  double rate;      /* per second; 0: none */
};

/* {0} is empty. */
struct mix_list {
  size_t n;
  struct mix_member *of; /* owned; [n] */
  bool dedicated;
};

/* -EINVAL: `err` has the item, and the allowed form. */
int mix_list_parse(struct mix_list *ret, const struct opt_list *items,
                   struct err *err);
void mix_list_done(struct mix_list *list);

/* 0: they have weights. */
uint64_t mix_list_clients(const struct mix_list *list);
uint64_t mix_list_weights(const struct mix_list *list);

/* list->n: none. */
size_t mix_list_find(const struct mix_list *list, const char *name, size_t len);

#endif
