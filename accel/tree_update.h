// Decides for each frame whether a tree is rebuilt or its boxes are only refitted, by a policy that
// never waits for the device.
#pragma once

#include <memory>
#include <optional>

#include "accel/bvh/passes/refit.h"
#include "core/base/enum_names.h"
#include "core/device/readback.h"

namespace tl {

/// Policy for updating a tree from frame to frame.
enum class UpdatePolicy : int {
    once,       ///< built once for a scene and its settings; nothing moves
    refit,      ///< built once; then new boxes for the same tree
    rebuild,    ///< built for every frame
    automatic,  ///< refitted until its SAH cost has grown by a factor, then rebuilt
    on_change,  ///< built for every frame in which something has moved
    by_device,  ///< on_change on the CPU, where a build takes long; rebuild on CUDA
};
[[nodiscard]] constexpr auto names_of(UpdatePolicy) {
    return std::to_array<EnumName<UpdatePolicy>>({{UpdatePolicy::once, "static"},
                                                  {UpdatePolicy::refit, "refit"},
                                                  {UpdatePolicy::rebuild, "rebuild"},
                                                  {UpdatePolicy::automatic, "auto"},
                                                  {UpdatePolicy::on_change, "on-change"},
                                                  {UpdatePolicy::by_device, "default"}});
}
/// The policy on a device, never by_device.
[[nodiscard]] UpdatePolicy policy_on(const Device& device, UpdatePolicy policy);

/// Kind of update of a tree for a frame.
enum class UpdateKind : int { none, refit, rebuild };
/// "none", "refit" or "rebuild".
[[nodiscard]] const char* name_of(UpdateKind kind);

/// The update state of one tree. Costs arrive some frames late, so automatic rebuilds do, too.
class UpdatePlan {
  public:
    /// The next update of a tree that has been built and whose settings and size have not changed.
    /// `policy`: not by_device. `sah_drift`: the cost growth at which the automatic policy
    /// rebuilds. `moved`: whether boxes may differ from those of the last update.
    [[nodiscard]] UpdateKind next(UpdatePolicy policy, float sah_drift, bool moved) const;
    /// Call for every build.
    void start_build() { ++n_builds_; }
    /// Requests readbacks of the current header and, unless null, the current cost, and takes the
    /// results of earlier requests that have arrived.
    void read_back(Stream& stream, const TreeHeader* header, const TreeCost* cost);
    /// The newest header that has arrived.
    [[nodiscard]] const std::optional<TreeHeader>& header() const { return header_; }

  private:
    std::unique_ptr<Readback<TreeHeader>> headers_;  ///< created on first use
    std::unique_ptr<Readback<TreeCost>> costs_;
    std::optional<TreeHeader> header_;
    TreeCost cost_;
    std::uint64_t n_builds_ = 0, build_of_cost_ = 0;
};

}  // namespace tl
