/*
 * append.h - the hook with which a script adds a text to the last report, and
 * figures to the results.
 */
#ifndef BENCH_LUA_ENGINE_APPEND_H
#define BENCH_LUA_ENGINE_APPEND_H

#include <stdbool.h>

struct report;
struct script;
struct strbuf;

/* Does the script have this hook at present?  The main thread asks. */
bool append_is_wanted(struct script *script);

/*
 * Call the hook, if there is one, with the sums of the whole run: write its
 * text, and keep its figures in script->figures.  An error in it is reported,
 * and then neither is there.
 */
void append_report(void *script, const struct report *r, struct strbuf *b);

#endif
