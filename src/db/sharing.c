/*
 * sharing.c - what clients that share connections can have.
 */
#include "db/sharing.h"

#include "base/log.h"
#include "db/conn_state.h"

bool sharing_is_possible(const struct driver_handle *h,
                         const struct conn_params *params, const char *option)
{
  for (const struct conn *c = h->env->first; c; c = c->next) {
    if ((c->pool || h->env->line) && !conn_is_closed(c)) {
      log_msg(LOG_FATAL,
              "%s: the script opens a second connection, and a client that "
              "shares one can have no other",
              option);
      return false;
    }
  }
  if (params && (params->host || params->port || params->socket ||
                 params->user || params->password || params->db)) {
    log_msg(LOG_FATAL,
            "%s: the script opens a connection with parameters of its own, "
            "and those that are shared are all the same",
            option);
    return false;
  }
  return true;
}
