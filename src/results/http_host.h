/*
 * http_host.h - the Host header of a request: by which name the reader has
 * come.
 *
 * A page of another site can have its own name resolve to an address of this
 * machine, and then read what is served there (DNS rebinding).  Its requests
 * carry that name.
 */
#ifndef BENCH_RESULTS_HTTP_HOST_H
#define BENCH_RESULTS_HTTP_HOST_H

#include <stdbool.h>

/* Are these names with commas between them? */
bool http_host_are_names(const char *names);

/*
 * May the request be answered?  Each of its Host headers has to name an
 * address, localhost, this machine, or one of `names`, with or without a port.
 * A request without the header comes from no browser, and is answered.
 */
bool http_host_is_allowed(const char *request, const char *names);

#endif
