// The table of pose estimators: Treelight's own, and libraries for comparison.
#pragma once

#include <memory>
#include <string>

#include "solvers/pose/estimate_pose.h"

namespace tl {

class PoseSolver : public Solver {
  public:
    /// Throws UserError as estimate_pose() does, and for a kind that the mode does not take.
    [[nodiscard]] virtual PoseEstimate estimate(Stream& stream, PoseKind kind,
                                                const PinholeCamera& camera,
                                                std::span<const double> matches,
                                                SolverRun& run) = 0;
    [[nodiscard]] virtual bool takes(PoseKind /*kind*/) const { return true; }
    [[nodiscard]] Settings settings() override { return ransac_settings(config_); }
    /// Whether estimates have the times of their stages; those of libraries have none.
    void time_stages(bool on) { config_.timed = on; }

  protected:
    RansacConfig config_;
};

/// A row of the table; a function is null if the mode does not run on that device.
struct PoseRow {
    std::string id;     ///< for flags and files: "fused"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<PoseSolver> (*make_cpu)();
    std::unique_ptr<PoseSolver> (*make_cuda)();
};
[[nodiscard]] const std::vector<PoseRow>& pose_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<PoseSolver> make_pose_solver(const std::string& id,
                                                           const Device& device);

/// A row of the table of kinds of poses.
struct PoseKindRow {
    std::string id;  ///< "relative"
    PoseKind kind;
    std::string help;  ///< the unknowns, and the numbers of a match
};
[[nodiscard]] const std::vector<PoseKindRow>& pose_kinds();
[[nodiscard]] const PoseKindRow& row_of(PoseKind kind);

}  // namespace tl
