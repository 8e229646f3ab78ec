/* OpenMP's functions for programs of `duet cc -fopenmp` (OpenMP API Specification 4.5, section 3), where
   clang's own libomp is not installed. GCC's libgomp has them. Left out: teams, allocators, tools, devices.
 */
#ifndef DUET_OMP_H
#define DUET_OMP_H

#ifdef __cplusplus
extern "C" {
#define DUET_OMP_NOTHROW noexcept
#else
#define DUET_OMP_NOTHROW
#endif

/* As libgomp's: a lock's state is the library's. */
typedef struct {
  int state;
} omp_lock_t;
typedef struct {
  struct {
    int lock, count;
    void* owner;
  } state;
} omp_nest_lock_t;

typedef enum omp_sched_t {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4
} omp_sched_t;
typedef enum omp_proc_bind_t {
  omp_proc_bind_false = 0,
  omp_proc_bind_true = 1,
  omp_proc_bind_master = 2,
  omp_proc_bind_close = 3,
  omp_proc_bind_spread = 4
} omp_proc_bind_t;

void omp_set_num_threads(int threads) DUET_OMP_NOTHROW;
int omp_get_num_threads(void) DUET_OMP_NOTHROW;
int omp_get_max_threads(void) DUET_OMP_NOTHROW;
int omp_get_thread_num(void) DUET_OMP_NOTHROW;
int omp_get_num_procs(void) DUET_OMP_NOTHROW;
int omp_in_parallel(void) DUET_OMP_NOTHROW;
void omp_set_dynamic(int on) DUET_OMP_NOTHROW;
int omp_get_dynamic(void) DUET_OMP_NOTHROW;
void omp_set_nested(int on) DUET_OMP_NOTHROW;
int omp_get_nested(void) DUET_OMP_NOTHROW;
void omp_set_schedule(omp_sched_t kind, int chunk) DUET_OMP_NOTHROW;
void omp_get_schedule(omp_sched_t* kind, int* chunk) DUET_OMP_NOTHROW;
int omp_get_thread_limit(void) DUET_OMP_NOTHROW;
void omp_set_max_active_levels(int levels) DUET_OMP_NOTHROW;
int omp_get_max_active_levels(void) DUET_OMP_NOTHROW;
int omp_get_level(void) DUET_OMP_NOTHROW;
int omp_get_ancestor_thread_num(int level) DUET_OMP_NOTHROW;
int omp_get_team_size(int level) DUET_OMP_NOTHROW;
int omp_get_active_level(void) DUET_OMP_NOTHROW;
int omp_in_final(void) DUET_OMP_NOTHROW;
int omp_get_cancellation(void) DUET_OMP_NOTHROW;
omp_proc_bind_t omp_get_proc_bind(void) DUET_OMP_NOTHROW;
int omp_get_default_device(void) DUET_OMP_NOTHROW;
void omp_set_default_device(int device) DUET_OMP_NOTHROW;
int omp_get_num_devices(void) DUET_OMP_NOTHROW;
int omp_is_initial_device(void) DUET_OMP_NOTHROW;
double omp_get_wtime(void) DUET_OMP_NOTHROW;
double omp_get_wtick(void) DUET_OMP_NOTHROW;

void omp_init_lock(omp_lock_t* lock) DUET_OMP_NOTHROW;
void omp_destroy_lock(omp_lock_t* lock) DUET_OMP_NOTHROW;
void omp_set_lock(omp_lock_t* lock) DUET_OMP_NOTHROW;
void omp_unset_lock(omp_lock_t* lock) DUET_OMP_NOTHROW;
int omp_test_lock(omp_lock_t* lock) DUET_OMP_NOTHROW;
void omp_init_nest_lock(omp_nest_lock_t* lock) DUET_OMP_NOTHROW;
void omp_destroy_nest_lock(omp_nest_lock_t* lock) DUET_OMP_NOTHROW;
void omp_set_nest_lock(omp_nest_lock_t* lock) DUET_OMP_NOTHROW;
void omp_unset_nest_lock(omp_nest_lock_t* lock) DUET_OMP_NOTHROW;
int omp_test_nest_lock(omp_nest_lock_t* lock) DUET_OMP_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
