// A queue of operations on matrices that run beside the program: a device as a mathematical
// coprocessor (Brodtkorb 2007, section 4.2). Handles come back at once and can be operands before
// their values exist; errors are values, too, and travel down the chain.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/queue/operations.h"
#include "solvers/queue/timeline.h"

namespace tl {

/// Why a value does not exist and never will.
enum class QueueFailure : std::uint8_t {
    none,
    invalid,    ///< the operands do not fit
    failed,     ///< the solver could not do it: a singular matrix
    no_memory,  ///< of the device
    cancelled,
    timed_out,
    unknown,  ///< there is no such value, or no longer
};
inline constexpr int kQueueFailures = 7;
/// "none", "invalid", ...
[[nodiscard]] const char* name_of(QueueFailure failure);

/// An error with the operation that it comes from, as which it reaches all that depend on it.
struct QueueError {
    QueueFailure failure = QueueFailure::none;
    std::string message;  ///< "lu #12: what went wrong"
    explicit operator bool() const { return failure != QueueFailure::none; }
};

enum class ValueState : std::uint8_t {
    waiting,  ///< for what it depends on, or for its turn
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
    /// Operations that a GPU's stream has been given and not yet done; those behind them wait on
    /// the host, so that memory of results is not taken long before its time.
    int most_in_flight = 16;
    /// The lanes give way to frames: threads of low priority, each of which does its work on the
    /// CPU alone, and streams that keep to a share of a GPU.
    bool background = false;
    int threads = 0;                     ///< of the CPU that an operation may use there; 0: all
    bool fuse = true;                    ///< chains of element-wise operations become one kernel
    double timeout = 0;                  ///< seconds after which an operation fails; 0: never
    std::size_t timeline_length = 4096;  ///< operations that the timeline keeps
};

/// Sums since the queue was made.
struct QueueCounts {
    std::uint64_t operations = 0;  ///< that were given to it
    std::uint64_t launches = 0;    ///< of the compute lane, fused chains counting as one
    std::uint64_t fused = 0;       ///< operations that ran within a chain of at least two
    std::uint64_t unstored = 0;    ///< results of such that were never written to memory
    std::uint64_t failures = 0;    ///< operations that failed or were passed an error
    std::uint64_t bytes_up = 0, bytes_down = 0;
};

/// All member functions may be called from any thread. A value lives as long as it has references:
/// one when enqueue() returns it, more by retain(), and while operations need it.
class Queue {
  public:
    /// Starts a thread for each lane. The device must outlive the queue.
    explicit Queue(Device& device, QueueConfig config = {});
    /// Cancels what has not run, and waits for what runs.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Gives an operation to the queue and returns its results, in the order of the table of
    /// operations, at once. If its operands do not fit, they are values that have failed.
    std::vector<ValueId> enqueue(Operation operation);

    /// Memory of the host from which uploads, and into which reads, run beside other work. It may
    /// outlive the queue.
    [[nodiscard]] std::shared_ptr<void> host_memory(std::size_t bytes);
    /// Uploads a copy of a matrix, given column by column, `stride` elements from one to the next.
    ValueId upload(const Shape& shape, const void* columns, std::size_t stride);

    /// Starts to copy a value to the host once it exists, so that fetch() need not wait so long.
    void read(ValueId value);
    /// The value, copied to the host; reads it if it was not read. Waits up to `seconds`, below 0
    /// for ever; then returns with timed_out, while the value is still on its way.
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

    /// The operation that makes the value, if it is not done, fails with `cancelled`, and so does
    /// what depends on it. A solver that runs is asked to stop.
    void cancel(ValueId value);
    void cancel_all();

    void retain(ValueId value);
    /// Gives a reference back. The memory is freed once nobody needs it.
    void release(ValueId value);

    /// Until resume(), nothing new is begun: what is enqueued meanwhile is seen at once, and chains
    /// are fused as far as possible. Calls may be nested.
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
