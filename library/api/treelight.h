/* Treelight for C, and for languages that call C: rendering of scenes, asynchronous dense linear
 * algebra, camera poses, systems of polynomial equations, and sums over all pairs of points.
 *
 * A scene is opened from a file and rendered into memory:
 *     const tl_setting settings[] = {{"renderer", "path"}, {"spp", "16"}};
 *     tl_picture picture = {640, 480, 3, pixels, 0};
 *     tl_scene* scene;
 *     if (tl_scene_open("scene.toml", NULL, 0, NULL, NULL, &scene)) puts(tl_last_error());
 *     if (tl_render(scene, settings, 2, &picture, NULL, NULL)) puts(tl_last_error());
 *     tl_scene_close(scene);
 *
 * A queue runs operations on one device. Calls return at once; their results are handles, which can
 * be operands before their values exist. Matrices are column by column, of float or double.
 *     tl_queue* queue;
 *     if (tl_queue_create("auto", &queue)) puts(tl_last_error());
 *     tl_value a, u, s, v;
 *     tl_upload(queue, TL_FLOAT64, rows, cols, numbers, rows, &a);
 *     tl_svd(queue, a, &u, &s, &v);
 *     if (tl_fetch(queue, s, -1, values, n)) puts(tl_last_error());
 *     tl_queue_destroy(queue);
 *
 * Handles of values must be released by tl_release(). All functions may be called from any thread;
 * none throws. Errors of operations are values: tl_wait() and tl_fetch() report them, and they
 * propagate to all dependent values. */
#ifndef TREELIGHT_H
#define TREELIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header. tl_version_number() returns that of the library. Programs run with any
 * library that has the same first number and is not older than their header. */
#define TREELIGHT_VERSION_MAJOR 1
#define TREELIGHT_VERSION_MINOR 0
#define TREELIGHT_VERSION_PATCH 0
#define TREELIGHT_VERSION_NUMBER \
    (TREELIGHT_VERSION_MAJOR * 10000 + TREELIGHT_VERSION_MINOR * 100 + TREELIGHT_VERSION_PATCH)

#if defined(_WIN32)
#define TL_API
#else
#define TL_API __attribute__((visibility("default")))
#endif

/* First member of structures that may have more members at their ends in later versions: set it to
 * their sizeof. A call takes members that the caller's structure does not have for 0, and refuses a
 * structure of another size than this or an earlier version's (TL_INVALID), unless what it has more
 * is 0. In C++ it is set without being named: tl_rays rays{}; */
#ifdef __cplusplus
#define TL_STRUCT_SIZE(type) size_t struct_size = sizeof(type)
#else
#define TL_STRUCT_SIZE(type) size_t struct_size
#endif

/* Result of a call, or of the operation that makes a value. */
typedef enum tl_status {
    TL_OK = 0,
    TL_INVALID = 1,   /* operands or arguments do not fit */
    TL_FAILED = 2,    /* the solver could not do it: a singular matrix */
    TL_NO_MEMORY = 3, /* of the device */
    TL_CANCELLED = 4,
    TL_TIMED_OUT = 5,
    TL_UNKNOWN = 6, /* there is no such value, or no longer; no such device, renderer, setting */
    TL_BAD_FILE = 7 /* a file is missing, or is not what it should be */
} tl_status;

typedef enum tl_type { TL_FLOAT32 = 0, TL_FLOAT64 = 1 } tl_type;
typedef enum tl_state {
    TL_WAITING = 0,
    TL_RUNNING = 1,
    TL_READY = 2,
    TL_ENDED_IN_ERROR = 3
} tl_state;

/* Element-wise operations. From TL_NEGATE to TL_EXPONENTIAL they have one operand; from TL_EQUAL on
 * they give 1 or 0, and take numbers that are not 0 for true. */
typedef enum tl_element {
    TL_ADD = 0,
    TL_SUBTRACT = 1,
    TL_MULTIPLY = 2,
    TL_DIVIDE = 3,
    TL_MINIMUM = 4,
    TL_MAXIMUM = 5,
    TL_NEGATE = 6,
    TL_ABSOLUTE = 7,
    TL_SQUARE_ROOT = 8,
    TL_EXPONENTIAL = 9,
    TL_POWER = 10, /* NaN for a negative base with an exponent that is no integer */
    TL_EQUAL = 11,
    TL_NOT_EQUAL = 12,
    TL_LESS = 13,
    TL_LESS_EQUAL = 14,
    TL_AND = 15,
    TL_OR = 16
} tl_element;

typedef struct tl_queue tl_queue;
typedef struct tl_memory tl_memory;
/* A handle of a value; 0 names none. */
typedef uint64_t tl_value;

/* "1.0.0" */
TL_API const char* tl_version(void);
TL_API int tl_version_number(void);
/* The error of the last call in this thread that did not return TL_OK, in one line. */
TL_API const char* tl_last_error(void);

/* Ids ("cpu", "cuda", "cuda:1", ...) and names of this machine's devices; null past the last one.
 */
TL_API const char* tl_device_id(int index);
TL_API const char* tl_device_name(int index);

/* `device`: "cpu", "cuda", "cuda:1" (the second GPU), or "auto", which is the first GPU where there
 * is one. */
TL_API tl_status tl_queue_create(const char* device, tl_queue** queue);
/* Cancels operations that have not run. The queue's values end with it; fetched memory does not. */
TL_API void tl_queue_destroy(tl_queue* queue);
/* Timeout in seconds of operations enqueued from now on; they fail after it. 0: none. */
TL_API tl_status tl_set_timeout(tl_queue* queue, double seconds);
/* Holds operations back until tl_resume(), so that chains of them are fused as a whole. */
TL_API tl_status tl_pause(tl_queue* queue);
TL_API tl_status tl_resume(tl_queue* queue);

/* Copies a matrix to the device, `stride` elements from one column to the next. The memory may be
 * used again on return. */
TL_API tl_status tl_upload(tl_queue* queue, tl_type type, int rows, int cols, const void* columns,
                           size_t stride, tl_value* value);
/* The same for columns without gaps, and without a copy of them: they must stay as they are until
 * done(context) is called, in any thread; it must not call this library. On an error it has been
 * called on return. */
TL_API tl_status tl_upload_shared(tl_queue* queue, tl_type type, int rows, int cols,
                                  const void* columns, void (*done)(void* context), void* context,
                                  tl_value* value);

/* a op b, or op a if the operation has one operand (b is 0). */
TL_API tl_status tl_elements(tl_queue* queue, tl_element op, tl_value a, tl_value b,
                             tl_value* result);
/* a op scalar, or scalar op a with `scalar_first`. */
TL_API tl_status tl_elements_scalar(tl_queue* queue, tl_element op, tl_value a, double scalar,
                                    int scalar_first, tl_value* result);
TL_API tl_status tl_matmul(tl_queue* queue, tl_value a, tl_value b, tl_value* product);
TL_API tl_status tl_transpose(tl_queue* queue, tl_value a, tl_value* result);
/* Rows and columns of `a` from (row, col), counted from 0. */
TL_API tl_status tl_block(tl_queue* queue, tl_value a, int row, int col, int rows, int cols,
                          tl_value* result);
/* `rows` rows row, row + row_step, ..., and columns likewise. Steps below 0 go backwards. */
TL_API tl_status tl_block_strided(tl_queue* queue, tl_value a, int row, int row_step, int rows,
                                  int col, int col_step, int cols, tl_value* result);
/* `a` with the block from (row, col), or one as of tl_block_strided(), replaced by `b`. */
TL_API tl_status tl_replace(tl_queue* queue, tl_value a, int row, int col, tl_value b,
                            tl_value* result);
TL_API tl_status tl_replace_strided(tl_queue* queue, tl_value a, int row, int row_step, int col,
                                    int col_step, tl_value b, tl_value* result);
/* PLU factorisation: L, U and the order p of rows, from 0: row i of L U is row p[i] of A. */
TL_API tl_status tl_lu(tl_queue* queue, tl_value a, tl_value* l, tl_value* u, tl_value* p);
/* The same factors in one matrix, for many right sides: U on and above its diagonal, L below. */
TL_API tl_status tl_lu_factors(tl_queue* queue, tl_value a, tl_value* factors, tl_value* p);
/* A^-1 B, or A^-T B with `transposed`, by such factors of a square A: two triangular solves. */
TL_API tl_status tl_lu_solve(tl_queue* queue, tl_value factors, tl_value p, int transposed,
                             tl_value b, tl_value* x);
/* Reduced row echelon form, and the columns of its pivots, then -1. */
TL_API tl_status tl_rref(tl_queue* queue, tl_value a, tl_value* r, tl_value* pivots);
/* A = U diag(s) V^T, as many columns as the smaller extent of A, values descending. */
TL_API tl_status tl_svd(tl_queue* queue, tl_value a, tl_value* u, tl_value* s, tl_value* v);
TL_API tl_status tl_singular_values(tl_queue* queue, tl_value a, tl_value* s);
/* Eigenvalues, real and imaginary parts in two columns; eigenvectors of length 1, the real and the
 * imaginary parts of vector t in columns 2 t and 2 t + 1. Up to 1024 rows. */
TL_API tl_status tl_eig(tl_queue* queue, tl_value a, tl_value* values, tl_value* vectors);
TL_API tl_status tl_eigenvalues(tl_queue* queue, tl_value a, tl_value* values);
/* A^-1 B */
TL_API tl_status tl_solve(tl_queue* queue, tl_value a, tl_value b, tl_value* x);
TL_API tl_status tl_inverse(tl_queue* queue, tl_value a, tl_value* inverse);
/* X of least norm with least ||A X - B||, for A of any shape and rank, and the rank, 1 x 1.
 * Singular values up to `rcond` times the largest count as 0; below 0: max(rows, columns) eps. */
TL_API tl_status tl_lstsq(tl_queue* queue, tl_value a, tl_value b, double rcond, tl_value* x,
                          tl_value* rank);
/* The pseudo-inverse (Moore-Penrose) and the rank; the rank alone. `rcond` as above. */
TL_API tl_status tl_pinv(tl_queue* queue, tl_value a, double rcond, tl_value* inverse,
                         tl_value* rank);
TL_API tl_status tl_rank(tl_queue* queue, tl_value a, double rcond, tl_value* rank);
/* The nearest matrix of at most that rank, and ||A - nearest|| / ||A||, Frobenius norms, 1 x 1. */
TL_API tl_status tl_low_rank(tl_queue* queue, tl_value a, int rank, tl_value* nearest,
                             tl_value* error);

/* Reports the phase of a call ("samples") and the fraction of it that is done, 0 to 1, in the
 * thread of the caller. Returns 0, or another number to cancel the call. */
typedef int (*tl_progress)(void* context, const char* what, double share);

/* Kind of a pose, and the numbers of a match, in pixels and in the world's units. */
typedef enum tl_pose_kind {
    TL_POSE_RELATIVE = 0,       /* two calibrated views: x1, y1, x2, y2 */
    TL_POSE_RELATIVE_FOCAL = 1, /* two views of one unknown focal length: likewise */
    TL_POSE_ABSOLUTE = 2,       /* a calibrated view of known points: x, y, X, Y, Z */
    TL_POSE_ABSOLUTE_FOCAL = 3, /* a view of known points, of unknown focal length: likewise */
    TL_POSE_HOMOGRAPHY = 4,     /* two uncalibrated views of one plane: x1, y1, x2, y2 */
    TL_POSE_FUNDAMENTAL = 5     /* two uncalibrated views: likewise */
} tl_pose_kind;

typedef enum tl_pose_doubt {
    TL_POSE_SOUND = 0,
    TL_POSE_NOT_FOUND = 1,      /* no pose fits more matches than its sample */
    TL_POSE_PURE_ROTATION = 2,  /* the translation is arbitrary */
    TL_POSE_ONE_PLANE = 3,      /* another pose may explain the inliers as well */
    TL_POSE_NO_FOCAL = 4,       /* the focal length is arbitrary */
    TL_POSE_BY_CHANCE = 5,      /* as many wrong matches would fit a pose as well */
    TL_POSE_ONE_HOMOGRAPHY = 6, /* a homography explains the inliers: F is arbitrary */
    TL_POSE_ONE_LINE = 7        /* all inliers are on one line: H is arbitrary */
} tl_pose_doubt;

typedef struct tl_pose_options {
    double fx, fy, cx, cy; /* pixels; fx, fy unused where found, all where uncalibrated */
    double threshold;      /* largest error of an inlier, pixels: 1 */
    double confidence;     /* that one of the samples had no outlier: 0.999 */
    int most_samples;      /* however few inliers there are: 4000000 */
    int seed;              /* equal seeds give equal poses: 0 */
} tl_pose_options;

/* R, row by row, and t: a point X of the first camera, or of the world, is at R X + t in the view.
 * Between two views t has length 1. */
typedef struct tl_pose {
    double rotation[9], translation[3];
    double focal;        /* pixels; 1 where it was given */
    double essential[9]; /* E of two views, row by row, of Frobenius norm 1; else 0 */
    double matrix[9];    /* H, x2 ~ H x1, or F, x2' F x1 = 0, in pixels, likewise; else 0 */
    double rms;          /* of the inliers' errors, pixels */
    size_t n_inliers;
    tl_pose_doubt doubt;
} tl_pose;

/* The defaults above, for a camera of focal length 1 whose axis projects to (0, 0). */
TL_API tl_pose_options tl_pose_defaults(void);
/* Estimates a pose from matches of which many may be wrong, by RANSAC on a device, and waits for
 * it. `inliers`: a byte for each match, 1 where it fits; or null. `options`: null for the defaults.
 * A pose that is in doubt is one all the same: TL_OK. */
TL_API tl_status tl_estimate_pose(const char* device, tl_pose_kind kind, const double* matches,
                                  size_t count, const tl_pose_options* options, tl_pose* pose,
                                  unsigned char* inliers);
/* Describes the doubt in words; "" for none. */
TL_API const char* tl_pose_doubt_words(tl_pose_doubt doubt);

/* Sums of a kernel K over all pairs: at each target x the sum of weight * K(|x - point|). */
typedef struct tl_fmm_options {
    TL_STRUCT_SIZE(tl_fmm_options); /* tl_fmm_defaults() sets it */
    /* "inverse-distance" 1/r, "inverse-square" 1/r^2, "log" ln r, "yukawa" exp(-r/h)/r, "gaussian"
     * exp(-(r/h)^2), "multiquadric" sqrt(r^2+h^2), "inverse-multiquadric" 1/sqrt(r^2+h^2), or
     * "thin-plate" r^2 ln r. Those without a value at r = 0 are 0 there. */
    const char* kernel;
    double length;     /* h: 1 */
    double tolerance;  /* largest error, as a part of the root mean square of sums: 1e-6 */
    tl_type precision; /* in which sums are computed: TL_FLOAT64; TL_FLOAT32 from 1e-5 on */
    int direct;        /* 1: all pairs one by one; 0: by the fast multipole method */
    size_t n_checked;  /* targets compared with direct sums, so that the error is known: 100 */
} tl_fmm_options;

typedef struct tl_fmm_report {
    TL_STRUCT_SIZE(tl_fmm_report);
    double seconds;               /* without the comparison */
    size_t n_checked;             /* targets that were compared */
    double error, gradient_error; /* root mean squares, as parts of those of sums, gradients */
    int order;                    /* points of a node's lattice along each axis; 0: direct sums */
} tl_fmm_report;

TL_API tl_fmm_options tl_fmm_defaults(void);
/* Sums on a device, and waits for them. Points, targets and gradients have three numbers each;
 * `targets` null: the points. `gradients`, `report` and `options` (the defaults) may be null. An
 * error above the tolerance, which cannot always be reached, is TL_OK. */
TL_API tl_status tl_fmm(const char* device, const double* points, const double* weights,
                        size_t n_points, const double* targets, size_t n_targets,
                        const tl_fmm_options* options, double* sums, double* gradients,
                        tl_fmm_report* report);

/* Outcome for a matrix of a batch. */
typedef enum tl_eig_error {
    TL_EIG_SOLVED = 0,
    TL_EIG_NOT_CONVERGED = 1, /* its results are NaN */
    TL_EIG_NOT_FINITE = 2     /* it has a NaN or an infinity; its results are NaN */
} tl_eig_error;

/* Eigenvalues and eigenvectors of a batch of real matrices on a device; the call waits. `matrices`:
 * `count` of n x n (up to 1024), one after the other, each row by row, of float or double.
 * `values`: n complex numbers for each, real before imaginary part, of the same type. `vectors`:
 * null, or n x n complex numbers for each, row by row, with a vector of length 1 in each column.
 * `errors`: null, or one for each matrix; with null the call fails at the first matrix that has no
 * results. `progress` may be null. */
TL_API tl_status tl_eig_batch(const char* device, tl_type type, const void* matrices, int n,
                              size_t count, void* values, void* vectors, tl_eig_error* errors,
                              tl_progress progress, void* context);

/* Complex matrices on a device; these calls wait. Both parts of a number are of `type`, the real
 * one first, as in C99's `float complex` and `double complex`. Matrices are column by column
 * without gaps, except in tl_complex_eig_batch(). An element that is not finite is TL_FAILED, or in
 * tl_complex_eig_batch() an entry of `errors`.
 *
 * A = U diag(values) V^H of rows x cols. k is the smaller extent: `values` are k real numbers of
 * `type`, descending; `u` is rows x k, `v` is cols x k; `u` and `v` may be null. */
TL_API tl_status tl_complex_svd(const char* device, tl_type type, const void* matrix, int rows,
                                int cols, void* u, void* values, void* v);
/* Solves A X = B; A is n x n, `right` and `solution` are n x n_right, and may be the same
 * array. A singular A is TL_FAILED. */
TL_API tl_status tl_complex_solve(const char* device, tl_type type, const void* matrix, int n,
                                  const void* right, int n_right, void* solution);
/* PLU factorisation. `factors` is rows x cols: U on and above the diagonal, below it L, whose
 * diagonal is 1. `p` has `rows` numbers, counted from 0: row i of L U is row p[i] of A. Singular
 * matrices have factors too. */
TL_API tl_status tl_complex_lu(const char* device, tl_type type, const void* matrix, int rows,
                               int cols, void* factors, int* p);
/* tl_eig_batch() of complex matrices, which are row by row as there. */
TL_API tl_status tl_complex_eig_batch(const char* device, tl_type type, const void* matrices, int n,
                                      size_t count, void* values, void* vectors,
                                      tl_eig_error* errors, tl_progress progress, void* context);

/* Solver of a system of polynomial equations whose coefficients depend on parameters. */
typedef struct tl_system tl_system;

typedef struct tl_system_info {
    const char* name;
    size_t n_parameters; /* numbers of an instance, in the order of the text, matrices row by row */
    size_t n_unknowns;
    size_t n_solutions;  /* of an instance, at most */
    size_t n_columns;    /* of a measurement; 0: tl_system_ransac() does not take the system */
    const char* summary; /* of its elimination template, a few lines */
    const char* warning; /* about solutions that are multiple for all parameters; "" for none */
    const char* path;    /* of the compiled solver */
    int is_new;          /* 1: this call has compiled it */
} tl_system_info;

/* Reads a system, in the language of `treelight solve system`, and generates its solver. $CXX, else
 * c++, compiles it once, into a cache ($XDG_CACHE_HOME, else ~/.cache). `action`: null, or the
 * action variable in place of the text's. TL_INVALID: an error in the text, with its line;
 * TL_FAILED: no solver was found or compiled. `progress` may be null. */
TL_API tl_status tl_system_open(const char* text, const char* action, tl_progress progress,
                                void* context, tl_system** system);
/* Not while tl_system_solve() is in progress. */
TL_API void tl_system_close(tl_system* system);
/* The texts live as long as the system. */
TL_API tl_status tl_system_about(const tl_system* system, tl_system_info* info);
/* Name of an unknown; null past the last. */
TL_API const char* tl_system_unknown(const tl_system* system, size_t index);
/* Solves `count` instances of n_parameters numbers each on all threads of the CPU, and waits.
 * `solutions`: n_solutions * n_unknowns numbers an instance: its real solutions in rising order of
 * the unknowns, then NaN. `counts`: the number of solutions of each. Instances that are not finite,
 * or for which the system is singular, have none. `progress` may be null. */
TL_API tl_status tl_system_solve(const tl_system* system, const double* instances, size_t count,
                                 double* solutions, int* counts, tl_progress progress,
                                 void* context);
/* The same on a device (null: "auto"), by a mode of `treelight solve system` (null: "auto"):
 * "threads" of the CPU, a "kernel" of the GPU, which nvcc compiles once, or "hybrid". Results agree
 * to rounding. Such calls with one system, and those of tl_system_ransac(), wait for each other:
 * `progress` must not make one. TL_FAILED: the device lacks the mode, or no kernel is compiled. */
TL_API tl_status tl_system_solve_on(const tl_system* system, const char* device, const char* mode,
                                    const double* instances, size_t count, double* solutions,
                                    int* counts, tl_progress progress, void* context);

/* RANSAC with a system, as by `treelight solve ransac`: what is given, and what is found. */
typedef struct tl_ransac {
    double bound, confidence; /* largest error of an inlier; that a sample had no outlier: 0.999 */
    int most_samples, seed;
    size_t n_inliers, n_left_out;         /* found: measurements that fit; that are not finite */
    size_t n_samples, n_solved, n_models; /* samples, those with solutions, solutions tested */
    double rms;                           /* of the inliers' errors */
} tl_ransac;
/* Fits a model to `count` measurements, rows of n_columns numbers, as in tl_system_solve_on().
 * `model`: n_unknowns numbers. `inliers`: null, or a byte for each measurement, 1 where it fits.
 * TL_FAILED: the system has no measurements, or no model fits more of them than its sample. */
TL_API tl_status tl_system_ransac(const tl_system* system, const char* device, const char* mode,
                                  const double* measurements, size_t count, tl_ransac* ransac,
                                  double* model, unsigned char* inliers, tl_progress progress,
                                  void* context);

/* A square sparse matrix by compressed rows: the entries of row i are those from starts[i] to
 * starts[i + 1], in any order. Entries of one element are summed. */
typedef struct tl_csr {
    int rows;
    const int* starts;  /* rows + 1; the first is 0 */
    const int* columns; /* counted from 0 */
    const double* values;
} tl_csr;

typedef struct tl_sparse_options {
    const char* method;         /* "auto", "cg" or "bicgstab" */
    const char* preconditioner; /* "auto", "none", "jacobi", "ilu0" or "amg" */
    tl_type precision;          /* in which the system is solved: TL_FLOAT64 */
    double tolerance;           /* of ||b - A x|| / ||b||; 0: 1e-8, or 1e-5 of TL_FLOAT32 */
    int most_iterations;        /* 10000 */
} tl_sparse_options;

typedef struct tl_sparse_report {
    int converged;                 /* 0: the tolerance is not reached; tl_last_error() says why */
    int iterations;                /* the most of all right sides */
    double residual;               /* the largest ||b - A x|| / ||b||, recomputed */
    double setup_seconds, seconds; /* of matrix and preconditioner, and of iterations */
} tl_sparse_report;

TL_API tl_sparse_options tl_sparse_defaults(void);
/* Solves A X = B on a device by a Krylov method, and waits for it. `right` and `solution` have
 * `n_right` columns of `rows` numbers. `options` may be null for the defaults, and `report` null.
 * A solution that does not reach the tolerance is one all the same: TL_OK, see the report. */
TL_API tl_status tl_solve_sparse(const char* device, const tl_csr* matrix, const double* right,
                                 int n_right, const tl_sparse_options* options, double* solution,
                                 tl_sparse_report* report);

/* Starts to copy the value to the host as soon as it exists. */
TL_API tl_status tl_read(tl_queue* queue, tl_value value);
/* Waits for the value, up to `seconds` (below 0: for ever), and copies it to `columns`, `stride`
 * elements from one column to the next. */
TL_API tl_status tl_fetch(tl_queue* queue, tl_value value, double seconds, void* columns,
                          size_t stride);
/* The same without a copy: columns without gaps, until tl_memory_free(). */
TL_API tl_status tl_fetch_shared(tl_queue* queue, tl_value value, double seconds,
                                 tl_memory** memory, void** columns);
TL_API void tl_memory_free(tl_memory* memory);
/* Waits until the value exists, without reading it, or until all operations have ended. */
TL_API tl_status tl_wait(tl_queue* queue, tl_value value, double seconds);
TL_API tl_status tl_wait_for_all(tl_queue* queue);

/* Known before the value exists. */
TL_API tl_status tl_shape(tl_queue* queue, tl_value value, tl_type* type, int* rows, int* cols);
TL_API tl_state tl_value_state(tl_queue* queue, tl_value value);
/* The value, if it is not there yet, and all that depends on it, fail with TL_CANCELLED. */
TL_API tl_status tl_cancel(tl_queue* queue, tl_value value);
/* Adds a reference; removes one. The memory is freed once the value is no longer needed. */
TL_API tl_status tl_retain(tl_queue* queue, tl_value value);
TL_API tl_status tl_release(tl_queue* queue, tl_value value);
/* Percentage of copies so far that overlapped with computations. */
TL_API double tl_overlap_percent(tl_queue* queue);

typedef struct tl_scene tl_scene;
/* A setting by the name of its flag of `treelight render`, without dashes in front, and its value
 * as text: {"renderer", "path"}, {"eye", "0,1,5"}, {"whitted-max-depth", "4"}. */
typedef struct tl_setting {
    const char *name, *value;
} tl_setting;

/* Opens a scene as the program does: a scene file, a model of any of its formats,
 * "generate:NAME[,key=value...]" or "model:NAME". Settings: `environment`, the .hdr or .exr file of
 * a map that replaces the scene's own, and `allow-outside`, whether the scene may read files
 * outside of its folder. `progress` may be null. */
TL_API tl_status tl_scene_open(const char* path, const tl_setting* settings, size_t n_settings,
                               tl_progress progress, void* context, tl_scene** scene);
/* Not while a call with the scene is in progress. */
TL_API void tl_scene_close(tl_scene* scene);

typedef struct tl_scene_info {
    /* Primitives that rays can hit, those of instanced meshes once for each instance. */
    size_t n_triangles, n_patches, n_spheres, n_splats, n_gaussians;
    double lower[3], upper[3]; /* bounds of all geometry where it starts; all 0 without any */
    double offset[3];          /* what coordinates in the file are more than those here */
    double eye[3], target[3], up[3], fov; /* its camera; degrees */
    double duration;   /* seconds after which all motion repeats; 0: nothing moves */
    size_t n_warnings; /* so far */
} tl_scene_info;

TL_API tl_status tl_scene_about(tl_scene* scene, tl_scene_info* info);
/* A line about what could not be used of the scene's files, makes its trees slow, or is not shown
 * by a renderer that was used, until the scene is closed; null past the last. */
TL_API const char* tl_scene_warning(tl_scene* scene, size_t index);

/* Linear radiance, row by row from the top. */
typedef struct tl_picture {
    int width, height; /* pixels, 1 to 16384 */
    int channels;      /* 3: red, green, blue; 4: and alpha, which is 1 */
    float* pixels;     /* width * height * channels */
    int samples;       /* that were added to each pixel at most: set by tl_render() */
} tl_picture;

/* Renders the scene as `treelight render` does. Settings are `renderer`, `builder`, `device`, `spp`
 * (64 samples a pixel), `seed`, `eye`, `target`, `up`, `fov`, `lens-radius`, `focus-distance`,
 * `time` and those of renderers, builders and the film; those that are left open have the values of
 * the scene's file, or their defaults, whatever earlier calls have set. What earlier calls have
 * made (trees, photon maps) is used again. Calls with one scene wait for each other. Equal settings
 * give equal pictures. `progress` may be null. A cancelled call leaves the samples so far. */
TL_API tl_status tl_render(tl_scene* scene, const tl_setting* settings, size_t n_settings,
                           tl_picture* picture, tl_progress progress, void* context);
/* Cancels the tl_render() or tl_render_frame() of this scene that is in progress, within its frame,
 * and all frames to come of the sequences that are open; in any thread. */
TL_API tl_status tl_scene_cancel(tl_scene* scene);

/* Frames of a scene in motion, or of a moving camera. */
typedef struct tl_sequence tl_sequence;

/* Time and camera of a frame. */
typedef struct tl_frame {
    int number;
    double time;                          /* of the scene's motion, seconds */
    double eye[3], target[3], up[3], fov; /* of the camera; degrees */
} tl_frame;

/* Plans a sequence as `treelight render --frames` does, without rendering any of it. Settings are
 * those of tl_render() and `frames`, "FIRST:LAST", both included; `fps` (30): frame K shows `time`
 * + K / fps. The camera stays, unless one of these is given: `turntable`, the frames in which it
 * turns once about its target (and the default of `frames`); `camera-path`, a file of cameras with
 * times; `bookmark-seconds`, from each bookmark of the scene's file to the next. All is checked
 * here; what was ignored in a camera path is one of the scene's warnings. */
TL_API tl_status tl_sequence_open(tl_scene* scene, const tl_setting* settings, size_t n_settings,
                                  tl_sequence** sequence);
/* Before its scene; not while one of its frames is rendered. */
TL_API void tl_sequence_close(tl_sequence* sequence);
TL_API size_t tl_sequence_count(const tl_sequence* sequence);
/* Frames are counted from 0 here, whatever their numbers are. */
TL_API tl_status tl_sequence_frame(const tl_sequence* sequence, size_t index, tl_frame* frame);
/* Renders a frame as tl_render() renders a picture; `progress` reports this frame. In any order,
 * with other pictures in between, each frame is the one that `treelight render` writes. */
TL_API tl_status tl_render_frame(tl_sequence* sequence, size_t index, tl_picture* picture,
                                 tl_progress progress, void* context);

#ifdef __cplusplus
}
#endif

#endif
