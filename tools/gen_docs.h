/*
 * gen_docs.h - what follows from the option rows, in one form each.
 */
#ifndef BENCH_TOOLS_GEN_DOCS_H
#define BENCH_TOOLS_GEN_DOCS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "opt/opt.h"

/* Where rows come from: NULL for the program itself, else a test's name. */
struct table {
  const char *title;
  const char *test;
  const struct opt *rows;
};

enum {
  MOST_TABLES = 64,
  MOST_OPTIONS = 512
};

struct tool;

struct docs {
  struct table table[MOST_TABLES];
  size_t n;
  struct opt rows[MOST_OPTIONS]; /* of the program, by groups */
  size_t n_rows;
  char title[MOST_TABLES][64];
  /* Names, a blank between them. */
  struct strbuf tests, tools, all_tools, own_tools, data_tests, scripts;
  const struct tool *tool;    /* whose page is written, or NULL */
  struct strbuf usage, pages; /* of that tool; of all tools, for SEE ALSO */
};

/* Deprecated names work, but nobody needs to be led to them. */
bool docs_is_offered(const struct opt *row);

/* For the manual: the options, and an index of them. */
void docs_man(struct strbuf *out, const struct docs *d);
void docs_index(struct strbuf *out, const struct docs *d);
/* The options of one tool, for its own page. */
void docs_tool(struct strbuf *out, const struct docs *d);
/* All tools, with what each is for. */
void docs_tool_list(struct strbuf *out);

/* For shells: the words that they complete. */
void docs_bash(struct strbuf *out, const struct docs *d);
void docs_zsh(struct strbuf *out, const struct docs *d);
void docs_fish(struct strbuf *out, const struct docs *d);

#endif
