/*
 * http_host.h - checks the Host header.
 *
 * DNS rebinding: a page of another site lets its name resolve to an address of
 * this machine to read the answers.  Its requests carry that name.
 */
#ifndef BENCH_RESULTS_HTTP_HOST_H
#define BENCH_RESULTS_HTTP_HOST_H

#include <stdbool.h>

/* A list with commas? */
bool http_host_are_names(const char *names);

/*
 * Valid: an address, localhost, this machine or one of `names`, with or without
 * a port, in each Host header.  Requests without the header come from no
 * browser, and are valid.
 */
bool http_host_is_allowed(const char *request, const char *names);

#endif
