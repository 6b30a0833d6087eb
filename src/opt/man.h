/*
 * man.h - options as a part of a manual page.
 */
#ifndef BENCH_OPT_MAN_H
#define BENCH_OPT_MAN_H

#include "opt/opt.h"

struct optset;
struct strbuf;

/* The rows of a table, ending with OPT_END, as paragraphs in troff's man
 * macros: name, meaning, what is allowed, default. */
void man_options(struct strbuf *out, const struct opt *rows);

/* Text with everything escaped that troff would take for itself. */
void man_text(struct strbuf *out, const char *text);

#endif
