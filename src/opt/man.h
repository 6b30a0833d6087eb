/*
 * man.h - options as a part of the manual page.
 */
#ifndef BENCH_OPT_MAN_H
#define BENCH_OPT_MAN_H

#include "opt/opt.h"

struct optset;
struct strbuf;

/*
 * Add the rows of a table, which ends with OPT_END, as paragraphs in troff's
 * man macros: name, meaning, what is allowed, default.
 */
void man_options(struct strbuf *out, const struct opt *rows);

/* Add text.  Everything that troff would interpret is escaped. */
void man_text(struct strbuf *out, const char *text);

#endif
