/*
 * mix.h - a mix as a source of tests: what its files share.
 */
#ifndef BENCH_PROGRAM_MIX_H
#define BENCH_PROGRAM_MIX_H

#include <stdbool.h>

#include "mix/list.h"
#include "mix/mixtest.h"
#include "opt/cmdline.h"
#include "opt/optset.h"
#include "program/source.h"
#include "report/text_reporter.h"
#include "run/members.h"

struct err;
struct strbuf;

/* A member: a test of its own, with options of its own. */
struct mix_job {
  struct job job;
  struct optset options; /* all of the program, and its own */
  struct cmdline_rules rules;
  const struct text_hooks *hooks; /* [opt] of its script */
};

/* What exists as long as the mix does. */
struct mix_source {
  struct mix_list list;
  unsigned n; /* members below are made */
  struct mix_job of[MIX_MEMBERS_MAX];
  struct mix_part part[MIX_MEMBERS_MAX];
  struct report_member run_member[MIX_MEMBERS_MAX];
  struct run_members members;
  struct mixtest_cfg cfg;
  struct test test;
  struct text_hooks hooks;
  size_t n_declared; /* options of the program and of members, by name */
};

/* ---- mix_options.c ---- */

/*
 * Add to the options of the program those of all members, under the names
 * OPTION and MEMBER.OPTION.  The members have declared their own.
 */
int mix_declare(struct mix_source *mix, struct optset *set, struct err *err);

/* For struct cmdline_rules; `mix` is a struct mix_source. */
bool mix_is_valid(void *mix, const struct opt_entry *e, const char *value,
                  struct strbuf *ret_expected);

/* Give the options of the members the values in `set`. */
int mix_hand_out(struct mix_source *mix, const struct optset *set,
                 struct err *err);

/* -ENOENT: the command line has an option of a member that does not occur. */
int mix_check_names(const struct mix_source *mix, const struct cmdline *c,
                    struct err *err);

/* ---- mix_commands.c ---- */

enum test_command mix_find_command(const struct job *job);
void mix_list_commands(const struct job *job, struct strbuf *out);
int mix_begin_call(struct job *job, struct err *err);
int mix_call(struct job *job, struct err *err);

#endif
