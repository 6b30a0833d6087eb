/*
 * options.h - the options of a script.
 */
#ifndef BENCH_LUA_ENGINE_OPTIONS_H
#define BENCH_LUA_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct err;
struct opt_entry;
struct optset;
struct script;
struct state;
struct strbuf;

/*
 * Adds a row to the set for each of sysbench.cmdline.options.  *ret_declared:
 * the script has such a table.  Without it the script takes any option, and all
 * options become globals.
 */
int options_declare(struct script *script, struct optset *set,
                    bool *ret_declared, struct err *err);

/* From the main state only. -ENOMEM: unchanged. */
int options_set_args(struct state *s, const sb_arg_t *args, size_t n);

/* The script's own rule, for struct cmdline_rules; `script` is a struct
 * script. */
bool options_is_valid(void *script, const struct opt_entry *e,
                      const char *value, struct strbuf *ret_expected);

void options_print(const struct script *script, struct strbuf *out);

/* 0: not given. -EINVAL: `units` is given, too.  Adds the text. */
int options_data_size(const struct script *script, const char *units,
                      uint64_t *ret, struct strbuf *text);

/* Fills in sysbench.opt again, and globals if no options were declared. */
int options_export(struct state *s, struct err *err);

#endif
