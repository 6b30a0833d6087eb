/*
 * aside.h - the threads of a loop that run what blocks (for src/loop only).
 */
#ifndef BENCH_LOOP_ASIDE_H
#define BENCH_LOOP_ASIDE_H

struct loop;

/* After loop_wake(): tasks whose work aside is done can go on. */
void aside_collect(struct loop *l);

/* End the threads; none has work. */
void aside_stop(struct loop *l);

#endif
