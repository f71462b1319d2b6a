// When a tree is built anew for a frame, and when its boxes are only refitted: a policy for each
// tree, which never waits for the device.
#pragma once

#include <memory>
#include <optional>

#include "accel/bvh/passes/refit.h"
#include "accel/parallel/readback.h"

namespace tl {

/// What is done to a tree from frame to frame.
enum class UpdatePolicy : int {
    once,       ///< built for a scene and its settings, then left as it is: nothing moves
    refit,      ///< built once, then new boxes for the old tree
    rebuild,    ///< built for every frame
    automatic,  ///< refitted until its SAH cost has grown by a factor, then built anew
};

/// What was done to a tree for a frame.
enum class UpdateKind : int { none, refit, rebuild };
/// "none", "refit" or "rebuild".
[[nodiscard]] const char* name_of(UpdateKind kind);

/// Follows one tree. Values are read back some frames late, so the automatic policy is as late.
class UpdatePlan {
  public:
    /// What to do next to a tree that was built before and whose settings and size are the same.
    /// `sah_drift`: the factor of the automatic policy.
    [[nodiscard]] UpdateKind next(UpdatePolicy policy, float sah_drift) const;
    /// To be called for every build.
    void start_build() { ++n_builds_; }
    /// Asks for the header, and the cost unless it is null, as they are now, and takes what has
    /// arrived of those asked for before.
    void read_back(Stream& stream, const TreeHeader* header, const TreeCost* cost);
    /// The newest header that has arrived.
    [[nodiscard]] const std::optional<TreeHeader>& header() const { return header_; }

  private:
    std::unique_ptr<Readback<TreeHeader>> headers_;  ///< made when first needed
    std::unique_ptr<Readback<TreeCost>> costs_;
    std::optional<TreeHeader> header_;
    TreeCost cost_;
    std::uint64_t n_builds_ = 0, build_of_cost_ = 0;
};

}  // namespace tl
