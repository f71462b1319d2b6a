// An asynchronous queue of operations on matrices: a device as a mathematical coprocessor
// (Brodtkorb 2007, section 4.2). Handles are returned at once and can be operands before their
// values exist. Errors are values, too, and propagate along the chain of operations.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/queue/operations.h"
#include "solvers/queue/timeline.h"

namespace tl {

/// Reason why a value does not exist and never will.
enum class QueueFailure : std::uint8_t {
    none,
    invalid,    ///< the operands do not fit
    failed,     ///< the solver could not do it: a singular matrix
    no_memory,  ///< device memory is insufficient
    cancelled,
    timed_out,
    unknown,  ///< there is no such value, or no longer
};
inline constexpr int kQueueFailures = 7;
/// "none", "invalid", ...
[[nodiscard]] const char* name_of(QueueFailure failure);

/// An error with the operation that caused it. It propagates unchanged to all operations that
/// depend on it.
struct QueueError {
    QueueFailure failure = QueueFailure::none;
    std::string message;  ///< "lu #12: what went wrong"
    explicit operator bool() const { return failure != QueueFailure::none; }
};

enum class ValueState : std::uint8_t {
    waiting,  ///< for its operands, or for its lane
    running,
    ready,
    failed
};

/// A matrix that was read, column by column.
struct HostValue {
    Shape shape;
    std::shared_ptr<const void> data;  ///< null if there is an error
    QueueError error;
};

struct QueueConfig {
    /// Most operations in flight on a GPU's stream. Later ones wait on the host, so that memory of
    /// their results is not allocated long before it is needed.
    int most_in_flight = 16;
    /// Whether the queue runs in the background of a renderer's frames. Its threads then have low
    /// priority, and each does its work on the CPU alone; its streams use a part of a GPU.
    bool background = false;
    int threads = 0;                     ///< CPU threads that an operation may use; 0: all
    bool fuse = true;                    ///< chains of element-wise operations become one kernel
    double timeout = 0;                  ///< seconds after which an operation fails; 0: never
    std::size_t timeline_length = 4096;  ///< operations that the timeline keeps
};

/// Sums since the queue was made.
struct QueueCounts {
    std::uint64_t operations = 0;  ///< enqueued operations
    std::uint64_t launches = 0;    ///< launches of the compute lane, fused chains counting as one
    std::uint64_t fused = 0;       ///< operations that ran within a chain of at least two
    std::uint64_t unstored = 0;    ///< results of such that were never written to memory
    std::uint64_t failures = 0;    ///< operations that failed or were passed an error
    std::uint64_t bytes_up = 0, bytes_down = 0;
};

/// Queue of operations; all member functions may be called from any thread. A value lives as long
/// as it has references: one when enqueue() returns it, more by retain(), and while operations need
/// it.
class Queue {
  public:
    /// Starts a thread for each lane. The device must outlive the queue.
    explicit Queue(Device& device, QueueConfig config = {});
    /// Cancels operations that have not run, and waits for those that run.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Enqueues an operation and returns its results at once, in the order of the table of
    /// operations. If its operands do not fit, they are values that have failed.
    std::vector<ValueId> enqueue(Operation operation);

    /// Host memory from which uploads, and into which reads, run asynchronously. It may outlive the
    /// queue.
    [[nodiscard]] std::shared_ptr<void> host_memory(std::size_t bytes);
    /// Uploads a copy of a matrix, given column by column, `stride` elements from one to the next.
    ValueId upload(const Shape& shape, const void* columns, std::size_t stride);

    /// Starts to copy a value to the host once it exists, so that fetch() waits less.
    void read(ValueId value);
    /// The value, copied to the host; starts the copy if read() was not called. Waits up to
    /// `seconds`, below 0 without limit. Then returns with timed_out, while the copy continues.
    [[nodiscard]] HostValue fetch(ValueId value, double seconds = -1);
    /// Waits until the value exists or has failed. Returns its error, or timed_out after `seconds`.
    QueueError wait(ValueId value, double seconds = -1);
    /// Waits until nothing is left to do.
    void wait_for_all();

    [[nodiscard]] ValueState state(ValueId value) const;
    /// The error of a value that has failed.
    [[nodiscard]] QueueError error(ValueId value) const;
    /// Rows and columns, known before the value exists; 0 x 0 for a value that does not fit.
    [[nodiscard]] Shape shape(ValueId value) const;

    /// Cancels the operation that makes the value, if it is not done: it fails with `cancelled`,
    /// and so do all that depend on it. A running solver is asked to stop.
    void cancel(ValueId value);
    void cancel_all();

    void retain(ValueId value);
    /// Releases a reference. The memory is freed once no operation needs it.
    void release(ValueId value);

    /// Until resume(), no operation is started. All that are enqueued meanwhile are considered
    /// together, so that chains are fused as far as possible. Calls may be nested.
    void pause();
    void resume();

    [[nodiscard]] Device& device() const;
    [[nodiscard]] QueueCounts counts() const;
    /// Values that exist, and operations that have not ended.
    [[nodiscard]] std::size_t n_values() const;
    [[nodiscard]] std::size_t n_pending() const;
    /// The newest operations that have run, in the order in which they ended.
    [[nodiscard]] std::vector<TimelineSpan> timeline() const;
    /// Milliseconds since the queue was made, on the clock of the timeline.
    [[nodiscard]] double now() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Pauses a queue until the end of the scope.
class QueueBatch {
  public:
    explicit QueueBatch(Queue& queue) : queue_(queue) { queue_.pause(); }
    ~QueueBatch() { queue_.resume(); }
    QueueBatch(const QueueBatch&) = delete;
    QueueBatch& operator=(const QueueBatch&) = delete;

  private:
    Queue& queue_;
};

}  // namespace tl
