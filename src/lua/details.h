/*
 * details.h - what result files say about the database of a script's run.
 */
#ifndef BENCH_LUA_DETAILS_H
#define BENCH_LUA_DETAILS_H

struct script;
struct state;
struct test_details;

/* Remember what a connection of this state knows of its server; does nothing
 * when it has none. */
void details_note(struct script *script, struct state *s);

/* At the end of the run. */
void details_fill(struct script *script, struct test_details *ret);

#endif
