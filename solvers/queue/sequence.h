// A sequence of operations that is recorded once and replayed with other inputs as one operation of
// the queue. Its element-wise chains are fused when it is recorded. On a GPU it becomes a graph
// after its first run.
#pragma once

#include <optional>

#include "solvers/queue/operations.h"

namespace tl {

/// Values within a sequence have names of their own: 1 to n are its n inputs.
class Sequence {
  public:
    explicit Sequence(std::vector<Shape> inputs);
    ~Sequence();
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;

    /// Adds an operation of the compute lane on values of the sequence and returns the names of its
    /// results. Throws UserError if the inputs do not fit, or after finish().
    std::vector<ValueId> add(Operation operation);
    /// Ends the recording: these values are the results. Throws UserError if one does not exist.
    void finish(const std::vector<ValueId>& results);

    /// Shapes of the results. Throws UserError if the inputs are not those of the recording.
    [[nodiscard]] std::vector<Shape> shapes(std::span<const Shape> inputs) const;
    [[nodiscard]] std::size_t n_results() const { return results_.size(); }
    /// The sum over all operations.
    [[nodiscard]] double work() const { return work_; }
    /// Operations, fused chains counting as one.
    [[nodiscard]] std::size_t n_steps() const { return steps_.size(); }
    /// Whether it can become a graph: none of its operations waits for the device.
    [[nodiscard]] bool is_recordable() const;
    /// Number of replays as a graph.
    [[nodiscard]] int n_graph_runs() const { return n_graph_runs_; }

    /// Runs it. One stream at a time may.
    [[nodiscard]] std::vector<AnyMatrix> run(Stream& stream,
                                             std::span<const AnyMatrix* const> inputs,
                                             SolverRun& run);

  private:
    struct Step {
        Operation operation;
        std::optional<FusedChain> chain;  ///< instead of the operation
        std::vector<ValueId> results;
        std::vector<ValueId> unused;  ///< values that no later step needs
    };
    struct Recorded;

    [[nodiscard]] const std::vector<ValueId>& inputs_of(const Step& step) const;
    void fuse_steps();
    [[nodiscard]] std::vector<FusedNode> nodes_of(std::size_t first, std::size_t end) const;
    void find_unused();
    void run_step(Stream& stream, const Step& step, std::span<const AnyMatrix* const> values,
                  std::span<AnyMatrix> own, SolverRun& run) const;
    std::vector<AnyMatrix> run_directly(Stream& stream, std::span<const AnyMatrix* const> inputs,
                                        SolverRun& run) const;
    std::vector<AnyMatrix> run_recorded(Stream& stream, std::span<const AnyMatrix* const> inputs);
    void record(Stream& stream);

    std::size_t n_inputs_;
    std::vector<Shape> shapes_;  ///< [i]: shape of value i + 1
    std::vector<Step> steps_;
    std::vector<ValueId> results_;
    double work_ = 0;
    bool finished_ = false;
    int n_runs_ = 0, n_graph_runs_ = 0;
    std::unique_ptr<Recorded> recorded_;
};

/// Runs a fused chain: `inputs` and `outputs` are in the order of the chain's. Outputs have memory.
void run_chain(Stream& stream, const FusedChain& chain, std::span<const AnyMatrix* const> inputs,
               std::span<AnyMatrix* const> outputs);

}  // namespace tl
