// Water that moves a mesh of a scene: joins the solver to the renderer.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "renderer/scene/simulated_surface.h"
#include "solvers/shallow_water/water_cases.h"
#include "solvers/shallow_water/water_surface.h"

namespace tl {

/// What a scene's water is doing now, for the panel.
struct WaterStatus {
    double time = 0;          ///< of the water, s
    std::uint64_t steps = 0;  ///< since the scene was opened
    std::size_t bytes = 0;
    WaterTotals totals{};  ///< as of `measured`
    double measured = -1;  ///< time of the totals; below 0: never
};

/// Drops that fall on a scene's water, in the order of their times.
struct TimedDrop {
    double time, x, y;
};

class WaterSurface : public SimulatedSurface {
  public:
    WaterSurface(WaterCase start, WaterPlace place)
        : start_(std::move(start)), place_(place), config_(start_.config) {}

    [[nodiscard]] std::unique_ptr<SurfaceMotion> start(Stream& stream) const override;
    /// A drop of drop_height() and drop_radius().
    void disturb(vec3 point, double time) const override;

    [[nodiscard]] const WaterCase& case_of() const { return start_; }
    [[nodiscard]] const WaterPlace& place() const { return place_; }
    [[nodiscard]] std::vector<TimedDrop> drops() const;
    [[nodiscard]] std::size_t drop_count() const;
    void clear_drops() const;
    /// How often that was called.
    [[nodiscard]] std::uint64_t clearings() const;

    /// How the water moves: as it starts, until that is changed, from the next frame on.
    [[nodiscard]] WaterConfig config() const;
    /// Throws UserError for a mode that takes no basin so large.
    void set_config(const WaterConfig& config) const;

    [[nodiscard]] WaterStatus status() const;
    void set_status(const WaterStatus& status) const;
    /// Whether the motion is to measure the water's totals with its next step, which waits.
    void measure(bool wanted) const;
    [[nodiscard]] bool measured() const;

    /// Height and radius of a drop, m: a cell or two wide at least.
    [[nodiscard]] double drop_height() const;
    [[nodiscard]] double drop_radius() const;

  private:
    WaterCase start_;
    WaterPlace place_;
    mutable std::mutex mutex_;
    mutable WaterConfig config_;
    mutable std::vector<TimedDrop> drops_;
    mutable WaterStatus status_;
    mutable bool measure_ = false;
    mutable std::uint64_t clearings_ = 0;
};

struct Scene;
/// What moves the first mesh of the scene that water moves; null if there is none.
[[nodiscard]] std::shared_ptr<const WaterSurface> water_of(const Scene& scene);

}  // namespace tl
