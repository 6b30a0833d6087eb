/*
 * durable.h - settings with which a server gives durability up.
 */
#ifndef BENCH_DB_DURABLE_H
#define BENCH_DB_DURABLE_H

#include <stdbool.h>
#include <stddef.h>

struct driver_durable;
struct facts;
struct strbuf;

/*
 * Settings in `server` (of server_settings()) with which a COMMIT does not wait
 * for the disk: adds "fsync = off (a crash of the machine can destroy the
 * data)", with commas.  `rules` of the driver, or NULL.  Returns their number;
 * *ret_usual: all are well-known defaults.
 */
size_t durable_gaps(const struct driver_durable *rules,
                    const struct facts *server, struct strbuf *to,
                    bool *ret_usual);

#endif
