// Water that moves a mesh of a scene: joins the solver to the renderer.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "renderer/scene/simulated_surface.h"
#include "solvers/shallow_water/water_cases.h"
#include "solvers/shallow_water/water_surface.h"

namespace tl {

/// Current state of a scene's water, for the panel.
struct WaterStatus {
    double time = 0;          ///< simulated time of the water, s
    std::uint64_t steps = 0;  ///< since the scene was opened
    std::size_t bytes = 0;
    WaterTotals totals{};              ///< at time `measured`
    double measured = -1;              ///< simulated time of the totals; below 0: never
    std::vector<WaterShare> shares{};  ///< parts of devices that share systems, or none
};

/// Drops that fall on a scene's water, in the order of their times.
struct TimedDrop {
    double time, x, y;
};

class WaterSurface : public SimulatedSurface {
  public:
    WaterSurface(WaterCase start, WaterGridPlacement place)
        : start_(std::move(start)), place_(place), config_(start_.config) {}

    [[nodiscard]] std::unique_ptr<SurfaceMotion> start(Stream& stream) const override;
    /// Adds a drop of drop_height() and drop_radius().
    void disturb(vec3 point, double time) const override;

    [[nodiscard]] const WaterCase& case_of() const { return start_; }
    [[nodiscard]] const WaterGridPlacement& place() const { return place_; }
    [[nodiscard]] std::vector<TimedDrop> drops() const;
    [[nodiscard]] std::size_t drop_count() const;
    void clear_drops() const;
    /// Number of calls of clear_drops().
    [[nodiscard]] std::uint64_t clearings() const;

    /// Solver settings in effect from the next frame on: those of the case until set_config()
    /// changes them.
    [[nodiscard]] WaterConfig config() const;
    /// Throws UserError for a mode that cannot take a basin so large.
    void set_config(const WaterConfig& config) const;

    [[nodiscard]] WaterStatus status() const;
    void set_status(const WaterStatus& status) const;
    /// Requests that the next step measures the water's totals, which waits.
    void measure(bool wanted) const;
    [[nodiscard]] bool measured() const;

    /// Height and radius of a drop, m: a cell or two wide at least.
    [[nodiscard]] double drop_height() const;
    [[nodiscard]] double drop_radius() const;

  private:
    WaterCase start_;
    WaterGridPlacement place_;
    mutable std::mutex mutex_;
    mutable WaterConfig config_;
    mutable std::vector<TimedDrop> drops_;
    mutable WaterStatus status_;
    mutable bool measure_ = false;
    mutable std::uint64_t clearings_ = 0;
};

struct Scene;
/// Motion of the scene's first mesh that water moves; null if there is none.
[[nodiscard]] std::shared_ptr<const WaterSurface> water_of(const Scene& scene);

}  // namespace tl
