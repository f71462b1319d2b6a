// What all solvers have in common: settings declared once, a run that can be watched and stopped
// from another thread, memory estimated before any is taken, and stage times.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "accel/parallel/error.h"
#include "accel/parallel/settings.h"
#include "accel/parallel/stage_timer.h"

namespace tl {

/// Thrown by a solver whose run was cancelled.
class SolverCancelled : public UserError {
  public:
    SolverCancelled() : UserError("cancelled") {}
};

/// Shared by the thread that solves and those that watch it.
class SolverRun {
  public:
    /// From any thread.
    [[nodiscard]] float progress() const { return progress_.load(std::memory_order_relaxed); }
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

    /// By the solver: 0 to 1. Throws SolverCancelled once somebody has cancelled.
    void report(double progress) {
        progress_.store(static_cast<float>(progress), std::memory_order_relaxed);
        if (cancelled_.load(std::memory_order_relaxed)) throw SolverCancelled();
    }

  private:
    std::atomic<float> progress_{0};
    std::atomic<bool> cancelled_{false};
};

/// Base of every solver, one family (SVD, eigenvalues, ...) at a time; a family adds its solve().
class Solver {
  public:
    virtual ~Solver() = default;
    /// What can be chosen, bound to this solver's Config.
    [[nodiscard]] virtual Settings settings() { return {}; }
};

/// A row of the table of families; ids are those of `treelight solve`.
struct SolverFamily {
    std::string id;     ///< for flags and files: "svd"
    std::string title;  ///< for people: "Singular values"
    std::string help;   ///< what is solved, in a line
};
[[nodiscard]] const std::vector<SolverFamily>& solver_families();

}  // namespace tl
