/*
 * room.h - is there room for the tables where the database keeps them?
 */
#ifndef BENCH_LOAD_ROOM_H
#define BENCH_LOAD_ROOM_H

struct conn;
struct err;
struct load_setup;

/*
 * Compare an estimate of the size of all tables of the load with the free space
 * of the database's folder, if the database reports one.  Returns -ENOSPC if
 * they do not fit, and 0 if they do, or if it is unknown.
 */
int room_for_tables(struct conn *c, const struct load_setup *setup,
                    struct err *err);

#endif
