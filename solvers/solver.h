// Common interface of all solvers: settings declared once, a run whose progress can be read and
// which can be cancelled from another thread, memory estimates before allocation, and stage times.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/settings.h"
#include "core/device/stage_timer.h"

namespace tl {

/// State shared by the solving thread and those that observe it.
class SolverRun {
  public:
    SolverRun() = default;
    /// A part of the run `whole`, which must outlive it. It is cancelled with `whole`, and maps its
    /// progress to the range from `from` to `to` of that of `whole`.
    SolverRun(SolverRun& whole, double from, double to) : whole_(&whole), from_(from), to_(to) {}

    /// May be called from any thread, like cancel().
    [[nodiscard]] float progress() const { return progress_.load(std::memory_order_relaxed); }
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

    /// Called by the solver with a value from 0 to 1. Throws Cancelled after cancel().
    void report(double progress) {
        progress_.store(static_cast<float>(progress), std::memory_order_relaxed);
        if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
        if (whole_) whole_->report(from_ + progress * (to_ - from_));
    }

  private:
    std::atomic<float> progress_{0};
    std::atomic<bool> cancelled_{false};
    SolverRun* whole_ = nullptr;
    double from_ = 0, to_ = 1;
};

/// Base class of all solvers. A family with modes (SVD, eigenvalues, ...) derives a class with its
/// solve().
class Solver {
  public:
    virtual ~Solver() = default;
    /// The settings, bound to this solver's Config.
    [[nodiscard]] virtual Settings settings() { return {}; }
};

/// A row of the table of families, each a command `treelight solve ID`. Further commands, such as
/// `solve form-factors`, which makes a matrix, belong to none.
struct SolverFamily {
    std::string id;     ///< for flags and files: "svd"
    std::string title;  ///< displayed name: "Singular values"
    std::string help;   ///< the problem, in one line
};
[[nodiscard]] const std::vector<SolverFamily>& solver_families();

}  // namespace tl
