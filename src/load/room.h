/*
 * room.h - is there room for the tables where the database keeps them?
 */
#ifndef BENCH_LOAD_ROOM_H
#define BENCH_LOAD_ROOM_H

#include <stdint.h>

struct conn;
struct err;

/*
 * Compare an estimate of the tables' size with the free space of the database's
 * folder, if the database reports one.  Returns -ENOSPC if they do not fit, and
 * 0 if they do, or if it is unknown.
 */
int room_for_tables(struct conn *c, uint64_t tables, uint64_t rows,
                    struct err *err);

#endif
