/*
 * durable.h - settings with which a server does not wait for the disk at a
 * COMMIT.
 */
#ifndef BENCH_DB_DURABLE_H
#define BENCH_DB_DURABLE_H

#include <stdbool.h>
#include <stddef.h>

struct driver_durable;
struct facts;
struct strbuf;

/*
 * `server` has what server_settings() reported.  Add each setting that gives
 * durability up, with commas: "fsync = off (a crash of the machine can destroy
 * the data)".  `rules` are those of the driver, which may be NULL.  Returns how
 * many there are; *ret_usual: all of them are defaults that their users know.
 */
size_t durable_gaps(const struct driver_durable *rules,
                    const struct facts *server, struct strbuf *to,
                    bool *ret_usual);

#endif
