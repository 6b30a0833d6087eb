/*
 * ffi_api.h - the script ABI: all that scripts can use through LuaJIT's FFI,
 * and all that is exported.
 *
 * The build embeds this text (without comments and preprocessor lines, `[]`
 * written as `[?]`) for ffi.cdef. A shipped declaration is never changed. Names
 * that begin with bench_ may change with the program's own Lua modules. All
 * functions act on the calling thread; a thread number must be its worker's.
 */
#ifndef BENCH_BASE_FFI_API_H
#define BENCH_BASE_FFI_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* ---- enums ---- */

typedef enum {
  SB_ARG_TYPE_NULL,
  SB_ARG_TYPE_BOOL,
  SB_ARG_TYPE_INT,
  SB_ARG_TYPE_SIZE,
  SB_ARG_TYPE_DOUBLE,
  SB_ARG_TYPE_STRING,
  SB_ARG_TYPE_LIST,
  SB_ARG_TYPE_FILE,
  SB_ARG_TYPE_MAX
} sb_arg_type_t;

typedef enum {
  DB_ERROR_NONE,
  DB_ERROR_IGNORABLE,
  DB_ERROR_FATAL
} sql_error_t;

typedef enum {
  SB_CNT_OTHER,
  SB_CNT_READ,
  SB_CNT_WRITE,
  SB_CNT_TRX,
  SB_CNT_ERROR,
  SB_CNT_RECONNECT,
  SB_CNT_BYTES_READ,
  SB_CNT_BYTES_WRITTEN,
  SB_CNT_MAX
} sb_counter_type;

typedef enum {
  SQL_TYPE_NONE,
  SQL_TYPE_TINYINT,
  SQL_TYPE_SMALLINT,
  SQL_TYPE_INT,
  SQL_TYPE_BIGINT,
  SQL_TYPE_FLOAT,
  SQL_TYPE_DOUBLE,
  SQL_TYPE_TIME,
  SQL_TYPE_DATE,
  SQL_TYPE_DATETIME,
  SQL_TYPE_TIMESTAMP,
  SQL_TYPE_CHAR,
  SQL_TYPE_VARCHAR
} sql_bind_type_t;

/* ---- structures ---- */

typedef bool sb_opt_validate_t(const char *, const char *);

typedef struct {
  const char *name;
  const char *desc;
  const char *value;
  sb_arg_type_t type;
  sb_opt_validate_t *validate;
} sb_arg_t;

typedef struct {
  const char *sname;
  const char *lname;
  const char opaque[];
} sql_driver;

typedef struct {
  sql_error_t error;
  int sql_errno;
  const char *sql_state;
  const char *sql_errmsg;
  sql_driver *driver;
  const char opaque[];
} sql_connection;

typedef struct {
  sql_connection *connection;
  const char opaque[];
} sql_statement;

typedef struct {
  uint32_t len;
  const char *ptr;
} sql_value;

typedef struct {
  void *ptr;
  sql_value *values;
} sql_row;

typedef struct {
  sb_counter_type counter;
  uint32_t nrows;
  uint32_t nfields;
  sql_statement *statement;
  void *ptr;
  sql_row row;
} sql_result;

typedef struct {
  sql_bind_type_t type;
  void *buffer;
  unsigned long *data_len;
  unsigned long max_len;
  char *is_null;
} sql_bind;

typedef struct histogram sb_histogram_t;

/* A call that waits, of a client that shares its Lua state: arguments, then
 * results (waiting.lua). The caller sets the first two members. */
typedef struct {
  int op;
  int quiet; /* number of running finalizers; 0: the call is allowed */
  int n;
  bool yes;
  sql_connection *con;
  sql_statement *stmt;
  sql_driver *drv;
  sql_result *rs;
  void *ptr;
  size_t len;
  const char *text[6];
  double number[3];
  void *param[2];
} bench_call;

/* The tables of the ycsb script, and how rows are chosen. Booleans are 1
 * and 0. */
typedef struct {
  double seed, records, fields, length, int_keys, ordered;
  double choice; /* 0 zipfian, 1 latest, 2 uniform, 3 YCSB's own */
  double exponent;
  char workload; /* a to f */
} bench_ycsb_setup;

/* ---- events and counters ---- */

bool sb_more_events(int thread_id);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);
void sb_counter_inc(int thread_id, sb_counter_type type);
void sb_counter_add(int thread_id, sb_counter_type type, uint64_t n);
uint64_t sb_counter_val(int thread_id, sb_counter_type type);

/* ---- random numbers ---- */

uint64_t sb_rand_uniform_uint64(void);
double sb_rand_uniform_double(void);
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
uint32_t sb_rand_unique(void);
void sb_rand_str(const char *fmt, char *buf);
uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len);

/* ---- histograms of scripts ---- */

sb_histogram_t *sb_histogram_new(size_t size, double range_min,
                                 double range_max);
void sb_histogram_delete(sb_histogram_t *h);
void sb_histogram_update(sb_histogram_t *h, double value);
void sb_histogram_print(sb_histogram_t *h);

/* ---- options of scripts ---- */

int sb_lua_set_test_args(sb_arg_t *args, size_t len);
void sb_print_test_options(void);

/* ---- databases ---- */

sql_driver *db_create(const char *name);
int db_destroy(sql_driver *drv);
sql_connection *db_connection_create(sql_driver *drv);
int db_connection_close(sql_connection *con);
int db_connection_reconnect(sql_connection *con);
void db_connection_free(sql_connection *con);
sql_result *db_query(sql_connection *con, const char *query, size_t len);
sql_row *db_fetch_row(sql_result *rs);
int db_free_results(sql_result *rs);
bool db_more_results(sql_connection *con);
sql_result *db_next_result(sql_connection *con);
sql_statement *db_prepare(sql_connection *con, const char *query, size_t len);
int db_bind_param(sql_statement *stmt, sql_bind *params, size_t len);
int db_bind_result(sql_statement *stmt, sql_bind *results, size_t len);
sql_result *db_execute(sql_statement *stmt);
sql_result *db_stmt_next_result(sql_statement *stmt);
int db_close(sql_statement *stmt);
int db_bulk_insert_init(sql_connection *con, const char *query, size_t len);
int db_bulk_insert_next(sql_connection *con, const char *query, size_t len);
int db_bulk_insert_done(sql_connection *con);

/* ---- for the program's own Lua modules ---- */

bool bench_event_step(void);
bool bench_event_unread(void);
sql_connection *bench_event_settle(void);
bool bench_event_restart(int attempt);
void bench_event_again(void);
void bench_event_undo(void);
void bench_event_abandon(void);
void bench_event_skip(void);
double bench_iteration(void);
void bench_event_rest(double seconds);
bool bench_in_event(void);
bool bench_linger(double seconds);
void bench_off_duty(bool off);

/* Between these two calls, the calling thread can start programs, which get the
 * usual signal mask. */
void bench_signals_open(void);
void bench_signals_close(void);

/* Like system(), with that mask. Returns the status of waitpid(), or -1. */
int bench_execute(const char *command);

/* os.exit(status) was called. True: a worker of a run, or done(), has to end
 * with a report and the files. */
bool bench_exit_run(int status, const char *words);

/* A finalizer of the script has failed, which ends the run. */
void bench_finalizer_failed(const char *text);

double bench_rand_default(double a, double b);
double bench_rand_uniform(double a, double b);
double bench_rand_gaussian(double a, double b);
double bench_rand_special(double a, double b);
double bench_rand_pareto(double a, double b);
double bench_rand_zipfian(double a, double b);
double bench_rand_unique_in(double a, double b);
void bench_rand_text(const char *fmt, size_t len, char *buf);

void *bench_counter_open(const char *name);
void bench_counter_add(void *counter, double n);
double bench_counter_get(void *counter);
double bench_counter_total(const char *name);
void *bench_histogram_open(const char *name, const char *unit);
void bench_histogram_update(void *histogram, double value);
void bench_histogram_print(void *histogram);
size_t bench_grid_bytes(double size);
sb_histogram_t *bench_grid_place(void *zeroed, double size, double range_min,
                                 double range_max);
void *bench_series_open(const char *name);
void bench_series_add(void *series, double n);
double bench_series_seconds(void *series);
double bench_series_sum(void *series, double second);
double bench_series_gap(void *series, double *ret_at);
int bench_sums_open(double n);
void bench_sums_add(double number, double n);
double bench_sums_value(double number);
int bench_sequence_set(const char *name, double next);
int bench_sequence_take(const char *name, double n, double limit,
                        double *ret_first);
int bench_job_put(double a, double b, double c);
bool bench_job_take(double *ret_three);
double bench_jobs_waiting(void);
void bench_class_record(void *cls, double took_ns);
const char *bench_ack(double id);
const char *bench_ack_query(int total, int others, double before,
                            const char *query);
double bench_now_ns(void);

sql_connection *bench_db_connect(sql_driver *drv, const char *host,
                                 const char *port, const char *socket,
                                 const char *user, const char *password,
                                 const char *db);
const char *bench_db_await(sql_driver *drv);
sql_connection *bench_db_visitor(sql_driver *drv);
bool bench_db_visit(sql_connection *con, int way, const char *query, size_t len,
                    double *ret_ms);
void *bench_db_class(const char *label);
sql_result *bench_db_query(sql_connection *con, const char *query, size_t len,
                           void *cls);
void bench_db_set_class(sql_statement *stmt, void *cls);
double bench_db_address(const void *object);
int bench_db_param_count(sql_statement *stmt);
void bench_param_describe(void *param, sql_bind *binds, int i);
bool bench_db_is_closed(sql_statement *stmt);
const char *bench_db_text(sql_statement *stmt);
double bench_db_draw(sql_statement *stmt, double times, double highest,
                     void *first, void *last, double span);
void bench_db_statement_free(sql_statement *stmt);
void bench_db_statement_later(sql_statement *stmt);
void bench_db_connection_later(sql_connection *con);
bool bench_db_in_transaction(sql_connection *con);
double bench_value_number(const sql_value *v, double decimals);
const char *bench_db_quote(sql_connection *con, const char *text, size_t len,
                           size_t *ret_len);
double bench_db_statement_sizes(sql_connection *con, double *ret_most,
                                const char **ret_setting);
const char *bench_db_bulk_prefix(sql_connection *con, size_t *ret_len);
int bench_db_failure(sql_connection *con);
bool bench_db_too_late(void);
const char *bench_db_api_error(sql_connection *con);
const char *bench_db_reason(sql_connection *con);
void *bench_db_take_message(sql_connection *con);
void bench_db_print_message(void *message, const char *error);
void bench_db_drop_message(void *message);
int bench_db_forgive(sql_connection *con);
int bench_db_restart(sql_connection *con);

double bench_pipeline_open(sql_connection *con);
void bench_pipeline_drop(sql_connection *con);
const char *bench_pipeline_query(sql_connection *con, const char *query,
                                 size_t len, void *cls);
const char *bench_pipeline_execute(sql_connection *con, sql_statement *stmt);
bool bench_pipeline_run(sql_connection *con);
double bench_pipeline_run_bulk(sql_connection *con);
double bench_pipeline_number(sql_connection *con);
int bench_pipeline_result(sql_connection *con, double index, double *ret_nrows,
                          double *ret_nfields, const char **ret_text);
const sql_value *bench_pipeline_fetch(sql_connection *con, double index);
const char *bench_pipeline_failed(sql_connection *con, size_t *ret_len);

bool bench_copy_begin(sql_connection *con, const char *table,
                      const char **columns, int n);
bool bench_copy_row(sql_connection *con, const sql_value *values);
bool bench_copy_end(sql_connection *con);
bool bench_copy_is_checked(sql_connection *con);

void *bench_load_open(sql_connection *con, double first_table, double tables,
                      double size, const char *method, bool shared);
int bench_load_next(void *loader, double *ret_table);
int bench_load_created(void *loader, int origin);
void bench_load_finished(void *loader);
void bench_load_failed(void *loader);
const char *bench_load_reason(void *loader);
void bench_load_close(void *loader);
int bench_load_check(sql_connection *con, double table, double size,
                     const char **ret_text);
void *bench_load_open_kind(sql_connection *con, const char *kind,
                           const char *const *names, const double *values,
                           int n, const char *method, bool shared);
const char *bench_load_table(void *loader);
int bench_load_check_kind(sql_connection *con, const char *kind,
                          const char *const *names, const double *values, int n,
                          double table, const char *skip,
                          const char **ret_text);
double bench_load_fit(sql_driver *drv, const char *kind,
                      const char *const *names, const double *values, int n,
                      double tables, const char *option, double least,
                      double most, const char **ret_text);
const char *bench_load_tidy(sql_connection *con);
const char *bench_dialect(sql_driver *drv, const char *key);
int bench_json_document(const double *param, double id, double n, char *to);
double bench_secondary_sums(double data_seed, double keys, double rows_per_key,
                            double k, double *ret_v);
double bench_tpcc_first_quantity(double seed, double key);
void *bench_pace_open(bool warmup, double total);
void bench_pace_add(void *pace, double n);
void bench_say(const char *line, size_t len);

int bench_team_size(void);
int bench_team_number(void);
int bench_clients(void);
int bench_idle_clients(void);
bool bench_team_give(const char *name, const char *text, size_t len);
const char *bench_team_await(const char *name, size_t *ret_len);

double bench_ranks(double *ret_rank);
double bench_agree(double value);

bool bench_ycsb_open(const bench_ycsb_setup *setup);
bool bench_ycsb_extent(double first, double stride, double readable,
                       double acknowledged, double begun);
void bench_ycsb_own(double first, double stride);
double bench_ycsb_inserts(double *ret_begun, double *ret_readable);
void *bench_ycsb_join(void);
void bench_ycsb_leave(void *client);
int bench_ycsb_operation(void *client);
double bench_ycsb_draw(void *client, void *key);
double bench_ycsb_insert(void *client, void *key);
void bench_ycsb_inserted(void *client);
double bench_ycsb_version(void *client);
void bench_ycsb_field(void *client, double row, int field, double version,
                      bool whole, char *to);
double bench_ycsb_row(void *client, const char *key, size_t len);
void bench_ycsb_read(void *client, double row);
const char *bench_ycsb_see(void *client, int field, const char *text,
                           size_t len, double *ret_version);
int bench_ycsb_check(sql_connection *con, void *pace, double *ret_rows,
                     double *ret_inserted, const char **ret_text);

/*
 * ---- histories of transactions ----
 *
 * One for each run, opened and closed by the main state. False: the reason is
 * in ret_text. Outcomes are 0 ok, 1 failed, 2 unknown.
 */
bool bench_history_open(const char *path, bool lists, char *ret_text,
                        size_t size);
bool bench_history_close(char *ret_text, size_t size);
double bench_history_count(int outcome);
void *bench_history_join(double client); /* NULL: no memory */
void bench_history_begin(void *client);
void bench_history_write(void *client, double key, double value);
void bench_history_read(void *client, double key);
void bench_history_answer(void *client, const char *text, size_t len);
void bench_history_end(void *client, int outcome);

#pragma GCC visibility pop

#endif
