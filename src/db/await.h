/*
 * await.h - the search for a server at the end of a run, whose sums are to be
 * stored: some servers of the lists may be away, or be replicas now.
 */
#ifndef BENCH_DB_AWAIT_H
#define BENCH_DB_AWAIT_H

struct driver_handle;

/*
 * Looks for a server at which a connection can be opened, and which takes
 * writes if there are several; with --target=replica it is a replica, as no
 * connection goes elsewhere, and takes none.  First where clients were served
 * last, then through the lists of hosts and ports; BLOCKS.  If the run ignores
 * lost connections, it goes on for --db-connect-timeout, or until all servers
 * in turn have refused it for good; otherwise it asks each server once.  NULL:
 * connections of now on go there.  Else why not; what has failed is not
 * reported.
 */
const char *await_server(struct driver_handle *h);

#endif
