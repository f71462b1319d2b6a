// State of a queue: its operations and values, its lanes with their threads, and the rules by which
// operations become ready, end and are removed. One mutex guards all of it; it is never held while
// an operation runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "solvers/queue/host_pool.h"
#include "solvers/queue/queue.h"

namespace tl {

/// Progress of an operation on the device.
enum class OperationStage : std::uint8_t {
    waiting,  ///< for values that it needs
    ready,    ///< for its turn
    started,  ///< taken by its lane's thread
    issued,   ///< given to the stream, so that others of that device may follow
    retired   ///< done, or never to be begun: needs nothing any more
};

struct QueuedOperation {
    std::uint64_t id = 0;
    Operation what;
    std::vector<ValueId> results;
    LaneKind lane{};
    double work = 0;
    OperationStage stage = OperationStage::waiting;
    std::size_t n_unissued = 0;  ///< inputs whose operation has not been issued
    bool ended = false;          ///< succeeded or failed, as seen by the program
    QueueError error;
    SolverRun run;
    std::shared_ptr<Event> done;  ///< recorded behind it
    std::shared_ptr<void> host;   ///< result of a read
    double seconds_allowed = 0;   ///< 0: any
};
using OperationPointer = std::shared_ptr<QueuedOperation>;

struct QueuedValue {
    Shape shape;
    AnyMatrix matrix;
    OperationPointer producer, reading;
    /// Operations that are not retired, once for each operand.
    std::vector<OperationPointer> users;
    std::uint32_t references = 1;  ///< references of the program
};

/// Operations that run as one.
struct OperationGroup {
    std::vector<OperationPointer> operations;  ///< ascending
    FusedChain chain;  ///< chain of several operations, or of element-wise ones
    bool is_chain = false;
    std::vector<const AnyMatrix*> inputs;
    std::vector<std::shared_ptr<Event>> awaited;  ///< events of other streams
    std::vector<std::pair<ValueId, AnyMatrix>> made;
    std::shared_ptr<Event> begin, end;
};

struct QueueLane {
    std::unique_ptr<Stream> stream;
    std::map<std::uint64_t, OperationPointer> ready;
    std::deque<OperationGroup> in_flight;
    std::condition_variable woken;
    std::thread thread;
};

class Queue::Implementation {
  public:
    Implementation(Device& device, QueueConfig config);
    ~Implementation();

    std::vector<ValueId> enqueue(Operation operation);
    ValueId upload(const Shape& shape, const void* columns, std::size_t stride);
    void read(ValueId value);
    HostValue fetch(ValueId value, double seconds);
    QueueError wait(ValueId value, double seconds);
    void wait_for_all();
    ValueState state(ValueId value) const;
    QueueError error(ValueId value) const;
    Shape shape(ValueId value) const;
    void cancel(ValueId value);
    void cancel_all();
    void retain(ValueId value);
    void release(ValueId value);
    void pause(int change);
    QueueCounts counts() const;
    std::size_t n_values() const;
    std::size_t n_pending() const;
    std::vector<TimelineSpan> timeline() const;
    double now() const;

    Device& device;
    std::shared_ptr<HostPool> pool;

  private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;

    // queue.cpp: the program's side, with the mutex held.
    QueuedValue* find(ValueId value);
    const QueuedValue* find(ValueId value) const;
    OperationPointer add(Operation operation);
    QueueError check(QueuedOperation& op, std::vector<Shape>& shapes);
    void add_results(const OperationPointer& op, const std::vector<Shape>& shapes);
    void limit_time(const OperationPointer& op, double seconds);
    OperationPointer start_reading(ValueId value);
    template <class Done>
    bool wait_until(Lock& lock, double seconds, Done done);
    void make_ready(const OperationPointer& op);
    void end(const OperationPointer& op, const QueueError& error);
    void retire(const OperationPointer& op);
    void forget_if_unused(ValueId value);

    // queue_lanes.cpp: the lanes' side.
    void run_lane(LaneKind kind);
    OperationGroup take_group(QueueLane& lane);
    void grow_group(OperationGroup& group);
    bool can_join(const OperationGroup& group, const QueuedOperation& op) const;
    std::vector<FusedNode> nodes_of(const OperationGroup& group) const;
    void prepare(OperationGroup& group, LaneKind kind);
    QueueError run(OperationGroup& group, QueueLane& lane);
    void run_on(Stream& stream, OperationGroup& group);
    void finish(OperationGroup&& group, QueueLane& lane, const QueueError& error);
    void complete(OperationGroup& group, QueueError error);
    void succeed(const OperationPointer& op);
    void log_spans(const OperationGroup& group, bool failed);
    void watch_streams();
    void watch_clock();

    QueueConfig config_;
    Clock::time_point made_ = Clock::now();
    mutable std::mutex mutex_;
    std::condition_variable changed_;  ///< an operation has ended or was retired
    std::condition_variable in_flight_changed_, deadlines_changed_;
    std::uint64_t n_operations_ = 0, n_values_ = 0;
    std::unordered_map<ValueId, QueuedValue> values_;
    std::map<std::uint64_t, OperationPointer> operations_;  ///< operations that are not retired
    std::multimap<Clock::time_point, std::weak_ptr<QueuedOperation>> deadlines_;
    QueueCounts counts_;
    std::deque<TimelineSpan> timeline_;
    int n_pauses_ = 0;
    bool stop_ = false;
    std::shared_ptr<Event> origin_;
    std::array<QueueLane, kLanes> lanes_;
    std::thread stream_watch_, clock_watch_;
};

/// "lu #12: what went wrong".
[[nodiscard]] QueueError error_of(const QueuedOperation& op, QueueFailure failure,
                                  const std::string& message);

}  // namespace tl
