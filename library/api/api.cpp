// The C interface over the queue and the estimation of poses.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "library/api/guarded.h"
#include "solvers/pose/estimate_pose.h"
#include "solvers/queue/queue.h"

struct tl_queue {
    tl::Queue queue;
    double timeout = 0;
};

struct tl_memory {
    std::shared_ptr<const void> data;
};

namespace tl {
namespace {

static_assert(static_cast<int>(QueueFailure::unknown) == TL_UNKNOWN);
static_assert(static_cast<int>(ElementCode::exponential) == TL_EXPONENTIAL);
static_assert(static_cast<int>(ElementCode::logical_or) == TL_OR);
static_assert(static_cast<int>(ValueState::failed) == TL_ENDED_IN_ERROR);
static_assert(static_cast<int>(PoseKind::fundamental) == TL_POSE_FUNDAMENTAL);
static_assert(static_cast<int>(PoseDoubt::one_line) == TL_POSE_ONE_LINE);

tl_status status_of(const QueueError& error) {
    if (!error) return TL_OK;
    return fail(static_cast<tl_status>(error.failure), error.message);
}

/// Adds an operation to the queue and returns its results. Where the shapes of operands do not
/// fit, TL_OK is returned as well, and the results have failed.
template <class... Results>
tl_status apply(tl_queue* queue, Operation operation, Results*... results) {
    return guarded([&] {
        if (!queue || !(results && ...)) return fail(TL_INVALID, "an argument is null");
        operation.timeout = queue->timeout;
        auto values = queue->queue.enqueue(std::move(operation));
        std::size_t next = 0;
        ((*results = values[next++]), ...);
        return TL_OK;
    });
}

tl_status apply_kind(tl_queue* queue, OperationKind kind, tl_value a, tl_value* result) {
    return apply(queue, {.kind = kind, .inputs = {a}}, result);
}

/// Runs work on a queue, which must not be null.
template <class Work>
tl_status with_queue(tl_queue* queue, Work work) {
    return guarded([&] {
        if (!queue) return fail(TL_INVALID, "the queue is null");
        return work(queue->queue);
    });
}

Shape shape_from(const tl_type& type, int rows, int cols) {
    return {rows, cols, number_of(type) == TL_FLOAT32 ? Precision::float32 : Precision::float64};
}

tl_status check_upload(const tl_type& type, const Shape& shape, const void* columns,
                       std::size_t stride) {
    if (!is_within(type, TL_FLOAT32, TL_FLOAT64)) return fail(TL_INVALID, "unknown type");
    if (shape.rows < 0 || shape.cols < 0) return fail(TL_INVALID, "a matrix of negative size");
    if (!columns && shape.elements() > 0) return fail(TL_INVALID, "the columns are null");
    if (stride < static_cast<std::size_t>(shape.rows))
        return fail(TL_INVALID, "the stride is less than the rows");
    return TL_OK;
}

/// Checks that numeric settings are within their ranges.
tl_status check_ranges(const Settings& settings) {
    for (auto& setting : settings) {
        if (!setting->is_number()) continue;
        double value = setting.number();
        // NaN is in no range.
        if (!(value >= setting->minimum && value <= setting->maximum))
            return fail(TL_INVALID, setting->id + ": not " + setting->accepts());
    }
    return TL_OK;
}

tl_status check_camera(const PinholeCamera& camera, PoseKind kind) {
    bool is_finite = std::isfinite(camera.cx) && std::isfinite(camera.cy);
    bool is_focal =
        std::isfinite(camera.fx) && std::isfinite(camera.fy) && camera.fx > 0 && camera.fy > 0;
    if (finds_matrix(kind) || (is_finite && (is_focal || finds_focal(kind)))) return TL_OK;
    return fail(TL_INVALID, "camera: fx and fy must be above 0, and all numbers finite");
}

tl_pose pose_from(const PoseEstimate& found, PoseKind kind) {
    tl_pose pose{};
    if (finds_matrix(kind)) std::ranges::copy(found.matrix.m, pose.matrix);
    std::ranges::copy(found.pose.rotation, pose.rotation);
    std::ranges::copy(found.pose.translation, pose.translation);
    std::ranges::copy(found.essential, pose.essential);
    pose.focal = found.pose.focal;
    pose.rms = found.rms;
    pose.n_inliers = found.n_inliers;
    pose.doubt = static_cast<tl_pose_doubt>(found.doubt);
    return pose;
}

}  // namespace

#define TL_TEXT_OF(x) #x
#define TL_VERSION_TEXT(major, minor, patch) \
    TL_TEXT_OF(major) "." TL_TEXT_OF(minor) "." TL_TEXT_OF(patch)

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

const char* tl_version() {
    return TL_VERSION_TEXT(TREELIGHT_VERSION_MAJOR, TREELIGHT_VERSION_MINOR,
                           TREELIGHT_VERSION_PATCH);
}
int tl_version_number() {
    return TREELIGHT_VERSION_NUMBER;
}
const char* tl_last_error() {
    return last_error().c_str();
}

const char* tl_device_id(int index) {
    thread_local std::string id;
    bool is_there = false;
    (void)guarded([&] {
        auto& all = devices();
        is_there = index >= 0 && static_cast<std::size_t>(index) < all.size();
        if (is_there) id = all[static_cast<std::size_t>(index)]->id();
        return TL_OK;
    });
    return is_there ? id.c_str() : nullptr;
}

const char* tl_device_name(int index) {
    thread_local std::string name;
    if (!tl_device_id(index)) return nullptr;
    auto status = guarded([&] {
        name = devices()[static_cast<std::size_t>(index)]->name();
        return TL_OK;
    });
    return status == TL_OK ? name.c_str() : nullptr;
}

tl_status tl_queue_create(const char* device, tl_queue** queue) {
    return guarded([&] {
        if (!device || !queue) return fail(TL_INVALID, "an argument is null");
        *queue = nullptr;
        *queue = new tl_queue{Queue(find_device(device))};
        return TL_OK;
    });
}
void tl_queue_destroy(tl_queue* queue) {
    delete queue;
}

tl_status tl_set_timeout(tl_queue* queue, double seconds) {
    return with_queue(queue, [&](Queue&) {
        queue->timeout = seconds > 0 ? seconds : 0;
        return TL_OK;
    });
}
tl_status tl_pause(tl_queue* queue) {
    return with_queue(queue, [](Queue& q) { return q.pause(), TL_OK; });
}
tl_status tl_resume(tl_queue* queue) {
    return with_queue(queue, [](Queue& q) { return q.resume(), TL_OK; });
}

tl_status tl_upload(tl_queue* queue, tl_type type, int rows, int cols, const void* columns,
                    size_t stride, tl_value* value) {
    return with_queue(queue, [&](Queue& q) {
        if (!value) return fail(TL_INVALID, "an argument is null");
        auto shape = shape_from(type, rows, cols);
        if (auto status = check_upload(type, shape, columns, stride)) return status;
        *value = q.upload(shape, columns, stride);
        return TL_OK;
    });
}

tl_status tl_upload_shared(tl_queue* queue, tl_type type, int rows, int cols, const void* columns,
                           void (*done)(void*), void* context, tl_value* value) {
    return guarded([&] {
        // The owner calls done() once the last reference is gone.
        std::shared_ptr<const void> host(columns, [done, context](const void*) {
            if (done) done(context);
        });
        auto shape = shape_from(type, rows, cols);
        auto stride = static_cast<std::size_t>(std::max(rows, 0));
        if (auto status = check_upload(type, shape, columns, stride)) return status;
        return apply(queue, {.kind = OperationKind::upload, .shape = shape, .host = host}, value);
    });
}

tl_status tl_elements(tl_queue* queue, tl_element op, tl_value a, tl_value b, tl_value* result) {
    if (!is_within(op, TL_ADD, TL_OR)) return fail(TL_INVALID, "unknown operation");
    auto code = static_cast<ElementCode>(op);
    Operation operation{.kind = OperationKind::element, .inputs = {a}};
    operation.element = {code, takes_one(code) ? ElementForm::one : ElementForm::both, 0};
    if (!takes_one(code)) operation.inputs.push_back(b);
    return apply(queue, std::move(operation), result);
}

tl_status tl_elements_scalar(tl_queue* queue, tl_element op, tl_value a, double scalar,
                             int scalar_first, tl_value* result) {
    if (!is_within(op, TL_ADD, TL_OR)) return fail(TL_INVALID, "unknown operation");
    if (takes_one(static_cast<ElementCode>(op)))
        return fail(TL_INVALID, "the operation has one operand");
    auto form = scalar_first ? ElementForm::scalar_left : ElementForm::scalar_right;
    return apply(queue,
                 {.kind = OperationKind::element,
                  .inputs = {a},
                  .element = {static_cast<ElementCode>(op), form, scalar}},
                 result);
}

tl_status tl_matmul(tl_queue* queue, tl_value a, tl_value b, tl_value* product) {
    return apply(queue, {.kind = OperationKind::matmul, .inputs = {a, b}}, product);
}
tl_status tl_transpose(tl_queue* queue, tl_value a, tl_value* result) {
    return apply_kind(queue, OperationKind::transpose, a, result);
}
tl_status tl_block(tl_queue* queue, tl_value a, int row, int col, int rows, int cols,
                   tl_value* result) {
    return tl_block_strided(queue, a, row, 1, rows, col, 1, cols, result);
}
tl_status tl_block_strided(tl_queue* queue, tl_value a, int row, int row_step, int rows, int col,
                           int col_step, int cols, tl_value* result) {
    Operation operation{.kind = OperationKind::block, .inputs = {a}};
    operation.origin = {row, col, row_step, col_step};
    operation.shape = {rows, cols, Precision::float64};
    return apply(queue, std::move(operation), result);
}
tl_status tl_replace(tl_queue* queue, tl_value a, int row, int col, tl_value b, tl_value* result) {
    return tl_replace_strided(queue, a, row, 1, col, 1, b, result);
}
tl_status tl_replace_strided(tl_queue* queue, tl_value a, int row, int row_step, int col,
                             int col_step, tl_value b, tl_value* result) {
    Operation operation{.kind = OperationKind::replace, .inputs = {a, b}};
    operation.origin = {row, col, row_step, col_step};
    return apply(queue, std::move(operation), result);
}
tl_status tl_lu(tl_queue* queue, tl_value a, tl_value* l, tl_value* u, tl_value* p) {
    return apply(queue, {.kind = OperationKind::lu, .inputs = {a}}, l, u, p);
}
tl_status tl_lu_factors(tl_queue* queue, tl_value a, tl_value* factors, tl_value* p) {
    return apply(queue, {.kind = OperationKind::lu_factors, .inputs = {a}}, factors, p);
}
tl_status tl_lu_solve(tl_queue* queue, tl_value factors, tl_value p, int transposed, tl_value b,
                      tl_value* x) {
    return apply(
        queue,
        {.kind = OperationKind::lu_solve, .inputs = {factors, p, b}, .transposed = transposed != 0},
        x);
}
tl_status tl_rref(tl_queue* queue, tl_value a, tl_value* r, tl_value* pivots) {
    return apply(queue, {.kind = OperationKind::rref, .inputs = {a}}, r, pivots);
}
tl_status tl_svd(tl_queue* queue, tl_value a, tl_value* u, tl_value* s, tl_value* v) {
    return apply(queue, {.kind = OperationKind::svd, .inputs = {a}}, u, s, v);
}
tl_status tl_singular_values(tl_queue* queue, tl_value a, tl_value* s) {
    return apply_kind(queue, OperationKind::singular_values, a, s);
}
tl_status tl_eig(tl_queue* queue, tl_value a, tl_value* values, tl_value* vectors) {
    return apply(queue, {.kind = OperationKind::eig, .inputs = {a}}, values, vectors);
}
tl_status tl_eigenvalues(tl_queue* queue, tl_value a, tl_value* values) {
    return apply_kind(queue, OperationKind::eigenvalues, a, values);
}
tl_status tl_solve(tl_queue* queue, tl_value a, tl_value b, tl_value* x) {
    return apply(queue, {.kind = OperationKind::solve, .inputs = {a, b}}, x);
}
tl_status tl_inverse(tl_queue* queue, tl_value a, tl_value* inverse) {
    return apply_kind(queue, OperationKind::inverse, a, inverse);
}
tl_status tl_lstsq(tl_queue* queue, tl_value a, tl_value b, double rcond, tl_value* x,
                   tl_value* rank) {
    return apply(queue, {.kind = OperationKind::least_squares, .inputs = {a, b}, .rcond = rcond}, x,
                 rank);
}
tl_status tl_pinv(tl_queue* queue, tl_value a, double rcond, tl_value* inverse, tl_value* rank) {
    return apply(queue, {.kind = OperationKind::pseudo_inverse, .inputs = {a}, .rcond = rcond},
                 inverse, rank);
}
tl_status tl_rank(tl_queue* queue, tl_value a, double rcond, tl_value* rank) {
    return apply(queue, {.kind = OperationKind::numerical_rank, .inputs = {a}, .rcond = rcond},
                 rank);
}
tl_status tl_low_rank(tl_queue* queue, tl_value a, int rank, tl_value* nearest, tl_value* error) {
    return apply(queue, {.kind = OperationKind::low_rank, .inputs = {a}, .rank = rank}, nearest,
                 error);
}

tl_status tl_read(tl_queue* queue, tl_value value) {
    return with_queue(queue, [&](Queue& q) { return q.read(value), TL_OK; });
}

tl_status tl_fetch(tl_queue* queue, tl_value value, double seconds, void* columns, size_t stride) {
    return with_queue(queue, [&](Queue& q) {
        auto shape = q.shape(value);
        if (!columns && shape.elements() > 0) return fail(TL_INVALID, "the columns are null");
        if (stride < static_cast<std::size_t>(shape.rows))
            return fail(TL_INVALID, "the stride is less than the rows");
        auto host = q.fetch(value, seconds);
        if (host.error) return status_of(host.error);
        std::size_t size = element_size(shape.precision);
        std::size_t column = size * static_cast<std::size_t>(shape.rows);
        for (std::size_t j = 0; column > 0 && j < static_cast<std::size_t>(shape.cols); ++j)
            std::memcpy(static_cast<std::byte*>(columns) + j * stride * size,
                        static_cast<const std::byte*>(host.data.get()) + j * column, column);
        return TL_OK;
    });
}

tl_status tl_fetch_shared(tl_queue* queue, tl_value value, double seconds, tl_memory** memory,
                          void** columns) {
    return with_queue(queue, [&](Queue& q) {
        if (!memory || !columns) return fail(TL_INVALID, "an argument is null");
        auto host = q.fetch(value, seconds);
        if (host.error) return status_of(host.error);
        *memory = new tl_memory{host.data};
        // The memory is the caller's alone.
        *columns = const_cast<void*>(host.data.get());
        return TL_OK;
    });
}
void tl_memory_free(tl_memory* memory) {
    delete memory;
}

tl_status tl_wait(tl_queue* queue, tl_value value, double seconds) {
    return with_queue(queue, [&](Queue& q) { return status_of(q.wait(value, seconds)); });
}
tl_status tl_wait_for_all(tl_queue* queue) {
    return with_queue(queue, [](Queue& q) { return q.wait_for_all(), TL_OK; });
}

tl_status tl_shape(tl_queue* queue, tl_value value, tl_type* type, int* rows, int* cols) {
    return with_queue(queue, [&](Queue& q) {
        auto shape = q.shape(value);
        if (type) *type = shape.precision == Precision::float32 ? TL_FLOAT32 : TL_FLOAT64;
        if (rows) *rows = shape.rows;
        if (cols) *cols = shape.cols;
        auto error = q.error(value);
        bool is_known =
            error.failure != QueueFailure::unknown && error.failure != QueueFailure::invalid;
        return is_known ? TL_OK : status_of(error);
    });
}

tl_state tl_value_state(tl_queue* queue, tl_value value) {
    auto state = ValueState::failed;
    (void)with_queue(queue, [&](Queue& q) {
        state = q.state(value);
        return TL_OK;
    });
    return static_cast<tl_state>(state);
}
tl_status tl_cancel(tl_queue* queue, tl_value value) {
    return with_queue(queue, [&](Queue& q) { return q.cancel(value), TL_OK; });
}
tl_status tl_retain(tl_queue* queue, tl_value value) {
    return with_queue(queue, [&](Queue& q) { return q.retain(value), TL_OK; });
}
tl_status tl_release(tl_queue* queue, tl_value value) {
    return with_queue(queue, [&](Queue& q) { return q.release(value), TL_OK; });
}

tl_pose_options tl_pose_defaults() {
    const RansacConfig config;
    const PinholeCamera camera;
    return {camera.fx,
            camera.fy,
            camera.cx,
            camera.cy,
            static_cast<double>(config.threshold),
            static_cast<double>(config.confidence),
            config.most_samples,
            config.seed};
}

tl_status tl_estimate_pose(const char* device, tl_pose_kind kind, const double* matches,
                           size_t count, const tl_pose_options* options, tl_pose* pose,
                           unsigned char* inliers) {
    return guarded([&] {
        if (!device || !pose || (!matches && count > 0))
            return fail(TL_INVALID, "an argument is null");
        if (!is_within(kind, TL_POSE_RELATIVE, TL_POSE_FUNDAMENTAL))
            return fail(TL_INVALID, "unknown kind of pose");
        auto what = static_cast<PoseKind>(kind);
        auto given = options ? *options : tl_pose_defaults();
        const PinholeCamera camera{given.fx, given.fy, given.cx, given.cy};
        RansacConfig config;
        config.threshold = static_cast<float>(given.threshold);
        config.confidence = static_cast<float>(given.confidence);
        config.most_samples = given.most_samples;
        config.seed = given.seed;
        if (auto status = check_ranges(ransac_settings(config))) return status;
        if (auto status = check_camera(camera, what)) return status;
        const std::span<const double> numbers(matches, count * match_size(what));
        try {
            check_matches(what, numbers);
        } catch (const UserError& error) {
            return fail(TL_INVALID, error.what());
        }
        auto stream = find_device(device).create_stream();
        SolverRun run;
        auto found = estimate_pose(*stream, what, camera, numbers, config, run);
        *pose = pose_from(found, what);
        if (inliers) std::ranges::copy(found.inliers, inliers);
        return TL_OK;
    });
}
const char* tl_pose_doubt_words(tl_pose_doubt doubt) {
    return words_of(static_cast<PoseDoubt>(number_of(doubt)));
}

double tl_overlap_percent(tl_queue* queue) {
    double percent = 0;
    (void)with_queue(queue, [&](Queue& q) {
        percent = measure_overlap(q.timeline()).percent();
        return TL_OK;
    });
    return percent;
}

}  // extern "C"
#pragma GCC visibility pop
}  // namespace tl
