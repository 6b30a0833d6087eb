/*
 * mpi.c - the plug-in for MPI: a module, so that the program runs without MPI.
 */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link.h"

enum {
  TAG = 1
};

struct mpi {
  MPI_Comm comm;
  bool receiving;
  MPI_Request incoming;
  int from, len;
  void *bytes; /* owned */
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
};

static int explain(int code, const char *what, char *why, size_t why_size)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int len = 0;

  (void)MPI_Error_string(code, text, &len);
  (void)snprintf(why, why_size, "%s: %s", what, text);
  return -EIO;
}

static void read_name(struct mpi *m)
{
  char *colon;
  int len = 0;

  if (MPI_Get_library_version(m->name, &len) != MPI_SUCCESS)
    m->name[0] = '\0';
  m->name[strcspn(m->name, ",\n")] = '\0';
  colon = strstr(m->name, " Version:\t"); /* MPICH's */
  if (colon)
    memmove(colon + 1, colon + 10, strlen(colon + 10) + 1);
}

static int mpi_open(void **ret_ctx, unsigned *ret_rank, unsigned *ret_size,
                    char *why, size_t why_size)
{
  struct mpi *m = calloc(1, sizeof(*m));
  int provided = 0, rank = 0, size = 0, rc;

  if (!m) {
    (void)snprintf(why, why_size, "not enough memory");
    return -ENOMEM;
  }
  rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (rc != MPI_SUCCESS) {
    free(m);
    return explain(rc, "MPI_Init_thread", why, why_size);
  }
  if (provided < MPI_THREAD_FUNNELED) {
    (void)snprintf(why, why_size,
                   "this MPI library does not support programs with threads");
    free(m);
    return -ENOTSUP;
  }
  rc = MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_rank(m->comm, &rank);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_size(m->comm, &size);
  if (rc != MPI_SUCCESS) {
    free(m);
    return explain(rc, "MPI_Comm_dup", why, why_size);
  }
  read_name(m);
  *ret_ctx = m;
  *ret_rank = (unsigned)rank;
  *ret_size = (unsigned)size;
  return 0;
}

static const char *mpi_describe(void *ctx)
{
  return ((struct mpi *)ctx)->name;
}

static int mpi_send(void *ctx, unsigned to, const void *bytes, size_t len,
                    void **ret_request)
{
  struct mpi *m = ctx;
  MPI_Request *r;

  if (len > (size_t)1 << 30)
    return -EMSGSIZE;
  r = malloc(sizeof(*r));
  if (!r)
    return -ENOMEM;
  if (MPI_Isend(bytes, (int)len, MPI_BYTE, (int)to, TAG, m->comm, r) !=
      MPI_SUCCESS) {
    free(r);
    return -EIO;
  }
  *ret_request = r;
  return 0;
}

static int mpi_sent(void *ctx, void *request)
{
  MPI_Request *r = request;
  int done = 0, rc;

  (void)ctx;
  rc = MPI_Test(r, &done, MPI_STATUS_IGNORE);
  if (rc == MPI_SUCCESS && !done)
    return 0;
  free(r);
  return rc == MPI_SUCCESS ? 1 : -EIO;
}

static int begin_receive(struct mpi *m)
{
  MPI_Message match;
  MPI_Status status;
  int found = 0;

  if (MPI_Improbe(MPI_ANY_SOURCE, TAG, m->comm, &found, &match, &status) !=
      MPI_SUCCESS)
    return -EIO;
  if (!found)
    return 0;
  m->from = status.MPI_SOURCE;
  if (MPI_Get_count(&status, MPI_BYTE, &m->len) != MPI_SUCCESS)
    return -EIO;
  m->bytes = malloc(m->len > 0 ? (size_t)m->len : 1);
  if (!m->bytes)
    return -ENOMEM;
  if (MPI_Imrecv(m->bytes, m->len, MPI_BYTE, &match, &m->incoming) !=
      MPI_SUCCESS) {
    free(m->bytes);
    m->bytes = NULL;
    return -EIO;
  }
  m->receiving = true;
  return 1;
}

static int mpi_receive(void *ctx, unsigned *ret_from, void **ret_bytes,
                       size_t *ret_len)
{
  struct mpi *m = ctx;
  int done = 0, rc;

  if (!m->receiving) {
    rc = begin_receive(m);
    if (rc <= 0)
      return rc;
  }
  rc = MPI_Test(&m->incoming, &done, MPI_STATUS_IGNORE);
  if (rc == MPI_SUCCESS && !done)
    return 0;
  m->receiving = false;
  if (rc != MPI_SUCCESS) {
    free(m->bytes);
    m->bytes = NULL;
    return -EIO;
  }
  *ret_from = (unsigned)m->from;
  *ret_bytes = m->bytes;
  *ret_len = (size_t)m->len;
  m->bytes = NULL;
  return 1;
}

static void mpi_close(void *ctx)
{
  struct mpi *m = ctx;

  (void)MPI_Comm_free(&m->comm); /* nobody can be notified */
  (void)MPI_Finalize();
  free(m->bytes);
  free(m);
}

static const struct cluster_link mpi_link = {
  .version = CLUSTER_LINK_VERSION,
  .open = mpi_open,
  .describe = mpi_describe,
  .send = mpi_send,
  .sent = mpi_sent,
  .receive = mpi_receive,
  .close = mpi_close,
};

__attribute__((visibility("default"))) const struct cluster_link *
bench_cluster_link(void);

const struct cluster_link *bench_cluster_link(void)
{
  return &mpi_link;
}
