#include "solvers/queue/queue.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/device/background.h"
#include "solvers/queue/queue_state.h"

namespace tl {

const char* name_of(QueueFailure failure) {
    constexpr std::array<const char*, kQueueFailures> kNames{
        "none", "invalid", "failed", "no memory", "cancelled", "timed out", "unknown"};
    return kNames[static_cast<std::size_t>(failure)];
}

QueueError error_of(const QueuedOperation& op, QueueFailure failure, const std::string& message) {
    std::string text = std::string(name_of(op.what)) + " #" + std::to_string(op.id) + ": ";
    // Solvers begin with their name, too.
    std::string named = std::string(name_of(op.what)) + ": ";
    return {failure, text + (message.starts_with(named) ? message.substr(named.size()) : message)};
}

namespace {

QueueError unknown_value(ValueId value) {
    return {QueueFailure::unknown, "there is no value " + std::to_string(value)};
}

/// Columns one after the other.
void copy_columns(const Shape& shape, const void* from, std::size_t stride, void* to) {
    std::size_t size = element_size(shape.precision), column = size * shape.rows;
    if (stride == static_cast<std::size_t>(shape.rows)) {
        if (shape.bytes() > 0) std::memcpy(to, from, shape.bytes());
        return;
    }
    for (int j = 0; j < shape.cols; ++j)
        std::memcpy(static_cast<std::byte*>(to) + j * column,
                    static_cast<const std::byte*>(from) + j * stride * size, column);
}

}  // namespace

Queue::Implementation::Implementation(Device& device, QueueConfig config)
    : device(device),
      pool(std::make_shared<HostPool>(device)),
      config_(config),
      origin_(device.create_event()) {
    for (auto& lane : lanes_)
        lane.stream = config.background ? create_background_stream(device) : device.create_stream();
    origin_->record(*lanes_[0].stream);
    for (int lane = 0; lane < kLanes; ++lane)
        lanes_[lane].thread = std::thread([this, lane] {
            auto kind = static_cast<LaneKind>(lane);
            if (config_.background) yield_to_other_threads();
            int threads = config_.background ? 1 : config_.threads;
            if (threads == 0) return run_lane(kind);
            run_on_threads(threads, [&] { run_lane(kind); });
        });
    if (device.kind() == DeviceKind::cuda) stream_watch_ = std::thread([this] { watch_streams(); });
}

Queue::Implementation::~Implementation() {
    cancel_all();
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    for (auto& lane : lanes_) {
        lane.woken.notify_all();
        lane.thread.join();
    }
    in_flight_changed_.notify_all();
    deadlines_changed_.notify_all();
    if (stream_watch_.joinable()) stream_watch_.join();
    if (clock_watch_.joinable()) clock_watch_.join();
    // Matrices are freed on the streams that they were made on.
    values_.clear();
}

const QueuedValue* Queue::Implementation::find(ValueId value) const {
    auto found = values_.find(value);
    return found == values_.end() ? nullptr : &found->second;
}
QueuedValue* Queue::Implementation::find(ValueId value) {
    return const_cast<QueuedValue*>(std::as_const(*this).find(value));
}

std::vector<ValueId> Queue::Implementation::enqueue(Operation operation) {
    Lock lock(mutex_);
    return add(std::move(operation))->results;
}

/// Adds an operation and its results, which have failed if the operands do not fit or have failed.
OperationPointer Queue::Implementation::add(Operation operation) {
    auto op = std::make_shared<QueuedOperation>();
    op->id = ++n_operations_;
    op->what = std::move(operation);
    op->lane = row_of(op->what.kind).lane;
    ++counts_.operations;
    std::vector<Shape> shapes;
    auto error = check(*op, shapes);
    add_results(op, shapes);
    operations_.emplace(op->id, op);
    for (ValueId input : op->what.inputs)
        if (auto* value = find(input)) {
            value->users.push_back(op);
            op->n_unissued += value->producer->stage < OperationStage::issued;
        }
    if (error) {
        end(op, error);
        return op;
    }
    double seconds = op->what.timeout > 0 ? op->what.timeout : config_.timeout;
    if (seconds > 0) limit_time(op, seconds);
    if (op->n_unissued == 0) make_ready(op);
    return op;
}

/// Finds the shapes of the results. On an error they are empty, as many as there would be.
QueueError Queue::Implementation::check(QueuedOperation& op, std::vector<Shape>& shapes) {
    std::vector<Shape> inputs;
    QueueError error;
    for (ValueId id : op.what.inputs) {
        auto* value = find(id);
        if (!value)
            error = error_of(op, QueueFailure::unknown, unknown_value(id).message);
        else if (value->producer->error && !error)
            error = value->producer->error;
        inputs.push_back(value ? value->shape : Shape{});
    }
    if (stop_ && !error) error = error_of(op, QueueFailure::cancelled, "the queue has ended");
    if (!error) {
        try {
            shapes = result_shapes(op.what, inputs);
            op.work = row_of(op.what.kind).work(op.what, inputs);
        } catch (const UserError& problem) {
            error = error_of(op, QueueFailure::invalid, problem.what());
        }
    }
    if (error) shapes.assign(n_results(op.what), {});
    return error;
}

void Queue::Implementation::add_results(const OperationPointer& op,
                                        const std::vector<Shape>& shapes) {
    for (auto& shape : shapes) {
        op->results.push_back(++n_values_);
        auto& value = values_[n_values_];
        value.shape = shape;
        value.producer = op;
    }
}

void Queue::Implementation::limit_time(const OperationPointer& op, double seconds) {
    op->seconds_allowed = seconds;
    auto allowed = std::chrono::duration<double>(std::min(seconds, 1e9));
    deadlines_.emplace(Clock::now() + std::chrono::duration_cast<Clock::duration>(allowed), op);
    if (!clock_watch_.joinable()) clock_watch_ = std::thread([this] { watch_clock(); });
    deadlines_changed_.notify_one();
}

void Queue::Implementation::make_ready(const OperationPointer& op) {
    op->stage = OperationStage::ready;
    auto& lane = lanes_[static_cast<int>(op->lane)];
    lane.ready.emplace(op->id, op);
    lane.woken.notify_one();
}

/// Ends an operation, and with an error all that depend on it. Those that have not been started are
/// retired; running ones are asked to stop, and their lane retires them later.
void Queue::Implementation::end(const OperationPointer& first, const QueueError& error) {
    std::vector<OperationPointer> todo{first};
    while (!todo.empty()) {
        auto op = std::move(todo.back());
        todo.pop_back();
        if (op->ended) continue;
        op->ended = true;
        op->error = error;
        if (error) {
            ++counts_.failures;
            op->run.cancel();
            for (ValueId result : op->results)
                if (auto* value = find(result))
                    todo.insert(todo.end(), value->users.begin(), value->users.end());
        }
        if (op->stage < OperationStage::started) {
            lanes_[static_cast<int>(op->lane)].ready.erase(op->id);
            retire(op);
        }
    }
    changed_.notify_all();
}

void Queue::Implementation::retire(const OperationPointer& op) {
    op->stage = OperationStage::retired;
    operations_.erase(op->id);
    for (ValueId input : op->what.inputs)
        if (auto* value = find(input)) {
            value->users.erase(std::ranges::find(value->users, op));
            forget_if_unused(input);
        }
    op->what.host.reset();
    op->done.reset();
    for (ValueId result : op->results) forget_if_unused(result);
    changed_.notify_all();
}

void Queue::Implementation::forget_if_unused(ValueId id) {
    auto* value = find(id);
    if (value && value->references == 0 && value->users.empty() &&
        value->producer->stage == OperationStage::retired)
        values_.erase(id);
}

ValueId Queue::Implementation::upload(const Shape& shape, const void* columns, std::size_t stride) {
    Operation operation{.kind = OperationKind::upload, .shape = shape};
    try {
        if (shape.rows >= 0 && shape.cols >= 0) {
            auto host = pool->take(shape.bytes());
            copy_columns(shape, columns, stride, host.get());
            operation.host = host;
        }
    } catch (const std::exception& problem) {
        Lock lock(mutex_);
        auto op = add({.kind = OperationKind::upload});
        end(op, error_of(*op, QueueFailure::no_memory, message_of(problem)));
        return op->results[0];
    }
    return enqueue(std::move(operation))[0];
}

/// The operation that reads the value, which must exist.
OperationPointer Queue::Implementation::start_reading(ValueId id) {
    if (auto* value = find(id); !value->reading || value->reading->error) {
        auto op = add({.kind = OperationKind::read, .inputs = {id}});
        find(id)->reading = op;
    }
    return find(id)->reading;
}

void Queue::Implementation::read(ValueId value) {
    Lock lock(mutex_);
    if (find(value)) (void)start_reading(value);
}

/// Waits until done() is true, up to `seconds`; below 0 for ever. Returns whether it is.
template <class Done>
bool Queue::Implementation::wait_until(Lock& lock, double seconds, Done done) {
    if (seconds < 0) {
        changed_.wait(lock, done);
        return true;
    }
    return changed_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, 1e9)), done);
}

HostValue Queue::Implementation::fetch(ValueId id, double seconds) {
    Lock lock(mutex_);
    auto* value = find(id);
    if (!value) return {{}, nullptr, unknown_value(id)};
    auto shape = value->shape;
    auto op = start_reading(id);
    if (!wait_until(lock, seconds, [&] { return op->ended; }))
        return {shape, nullptr, error_of(*op, QueueFailure::timed_out, "it is still on its way")};
    // The memory is now the caller's; another fetch copies again.
    if (auto* kept = find(id); kept && kept->reading == op) kept->reading.reset();
    return {shape, op->error ? nullptr : op->host, op->error};
}

QueueError Queue::Implementation::wait(ValueId id, double seconds) {
    Lock lock(mutex_);
    auto* value = find(id);
    if (!value) return unknown_value(id);
    auto op = value->producer;
    if (!wait_until(lock, seconds, [&] { return op->ended; }))
        return error_of(*op, QueueFailure::timed_out, "it is still on its way");
    return op->error;
}

void Queue::Implementation::wait_for_all() {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return operations_.empty(); });
}

ValueState Queue::Implementation::state(ValueId id) const {
    Lock lock(mutex_);
    auto* value = find(id);
    if (!value || value->producer->error) return ValueState::failed;
    if (value->producer->ended) return ValueState::ready;
    bool runs = value->producer->stage >= OperationStage::started;
    return runs ? ValueState::running : ValueState::waiting;
}

QueueError Queue::Implementation::error(ValueId id) const {
    Lock lock(mutex_);
    auto* value = find(id);
    return value ? value->producer->error : unknown_value(id);
}

Shape Queue::Implementation::shape(ValueId id) const {
    Lock lock(mutex_);
    auto* value = find(id);
    return value ? value->shape : Shape{};
}

void Queue::Implementation::cancel(ValueId id) {
    Lock lock(mutex_);
    if (auto* value = find(id)) {
        auto op = value->producer;
        end(op, error_of(*op, QueueFailure::cancelled, "it was cancelled"));
    }
}

void Queue::Implementation::cancel_all() {
    Lock lock(mutex_);
    std::vector<OperationPointer> all;
    for (auto& [id, op] : operations_) all.push_back(op);
    for (auto& op : all) end(op, error_of(*op, QueueFailure::cancelled, "it was cancelled"));
}

void Queue::Implementation::retain(ValueId id) {
    Lock lock(mutex_);
    if (auto* value = find(id)) ++value->references;
}

void Queue::Implementation::release(ValueId id) {
    Lock lock(mutex_);
    auto* value = find(id);
    if (!value || value->references == 0) return;
    --value->references;
    forget_if_unused(id);
}

void Queue::Implementation::pause(int change) {
    Lock lock(mutex_);
    n_pauses_ += change;
    if (n_pauses_ == 0)
        for (auto& lane : lanes_) lane.woken.notify_one();
}

QueueCounts Queue::Implementation::counts() const {
    Lock lock(mutex_);
    return counts_;
}
std::size_t Queue::Implementation::n_values() const {
    Lock lock(mutex_);
    return values_.size();
}
std::size_t Queue::Implementation::n_pending() const {
    Lock lock(mutex_);
    return operations_.size();
}
std::vector<TimelineSpan> Queue::Implementation::timeline() const {
    Lock lock(mutex_);
    return {timeline_.begin(), timeline_.end()};
}
double Queue::Implementation::now() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - made_).count();
}

Queue::Queue(Device& device, QueueConfig config)
    : implementation_(std::make_unique<Implementation>(device, config)) {}
Queue::~Queue() = default;

std::vector<ValueId> Queue::enqueue(Operation operation) {
    return implementation_->enqueue(std::move(operation));
}
std::shared_ptr<void> Queue::host_memory(std::size_t bytes) {
    return implementation_->pool->take(bytes);
}
ValueId Queue::upload(const Shape& shape, const void* columns, std::size_t stride) {
    return implementation_->upload(shape, columns, stride);
}
void Queue::read(ValueId value) {
    implementation_->read(value);
}
HostValue Queue::fetch(ValueId value, double seconds) {
    return implementation_->fetch(value, seconds);
}
QueueError Queue::wait(ValueId value, double seconds) {
    return implementation_->wait(value, seconds);
}
void Queue::wait_for_all() {
    implementation_->wait_for_all();
}
ValueState Queue::state(ValueId value) const {
    return implementation_->state(value);
}
QueueError Queue::error(ValueId value) const {
    return implementation_->error(value);
}
Shape Queue::shape(ValueId value) const {
    return implementation_->shape(value);
}
void Queue::cancel(ValueId value) {
    implementation_->cancel(value);
}
void Queue::cancel_all() {
    implementation_->cancel_all();
}
void Queue::retain(ValueId value) {
    implementation_->retain(value);
}
void Queue::release(ValueId value) {
    implementation_->release(value);
}
void Queue::pause() {
    implementation_->pause(1);
}
void Queue::resume() {
    implementation_->pause(-1);
}
Device& Queue::device() const {
    return implementation_->device;
}
QueueCounts Queue::counts() const {
    return implementation_->counts();
}
std::size_t Queue::n_values() const {
    return implementation_->n_values();
}
std::size_t Queue::n_pending() const {
    return implementation_->n_pending();
}
std::vector<TimelineSpan> Queue::timeline() const {
    return implementation_->timeline();
}
double Queue::now() const {
    return implementation_->now();
}

}  // namespace tl
