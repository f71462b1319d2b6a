#include "session/water/water_motion.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/scene.h"

namespace tl {
namespace {

/// The water of one device, which follows the scene's time step by step.
class WaterMotion final : public SurfaceMotion {
  public:
    WaterMotion(Stream& stream, const WaterSurface& surface)
        : surface_(surface), water_(stream, surface.case_of().basin, surface.case_of().config) {}

    void run(Stream& stream, double time, View<vec3> positions, View<vec3> normals) override {
        water_.config() = surface_.config();
        double step = double(water_.config().time_step);
        if (time + 0.5 * step < water_.time()) {
            water_.restart(stream);
            n_dropped_ = 0;
        }
        auto drops = surface_.drops();
        if (clearings_ != surface_.clearings()) n_dropped_ = 0;
        clearings_ = surface_.clearings();
        auto status = surface_.status();
        while (water_.time() + 0.5 * step < time) {
            for (; n_dropped_ < drops.size() && drops[n_dropped_].time <= water_.time();
                 ++n_dropped_)
                water_.drop(stream, drops[n_dropped_].x, drops[n_dropped_].y,
                            surface_.drop_height(), surface_.drop_radius());
            (void)water_.step(stream);
            ++status.steps;
        }
        TL_DISPATCH(stream.device(),
                    water_surface(stream, water_.fields(), surface_.place(), positions, normals));
        status.time = water_.time();
        status.bytes = water_.bytes();
        if (surface_.measured() && std::abs(status.time - status.measured) > 0.25) {
            status.totals = water_.totals(stream);
            status.measured = status.time;
        }
        surface_.set_status(status);
    }
    [[nodiscard]] std::size_t bytes() const override { return water_.bytes(); }

  private:
    const WaterSurface& surface_;
    Water water_;
    std::size_t n_dropped_ = 0;  ///< of the surface's drops, which are in the order of their times
    std::uint64_t clearings_ = 0;
};

}  // namespace

std::unique_ptr<SurfaceMotion> WaterSurface::start(Stream& stream) const {
    return std::make_unique<WaterMotion>(stream, *this);
}

void WaterSurface::disturb(vec3 point, double time) const {
    std::scoped_lock lock(mutex_);
    TimedDrop drop{time, double(point.x - place_.corner.x), double(point.z - place_.corner.z)};
    auto at = std::ranges::upper_bound(drops_, time, {}, &TimedDrop::time);
    drops_.insert(at, drop);
}

std::vector<TimedDrop> WaterSurface::drops() const {
    std::scoped_lock lock(mutex_);
    return drops_;
}
std::size_t WaterSurface::drop_count() const {
    std::scoped_lock lock(mutex_);
    return drops_.size();
}
void WaterSurface::clear_drops() const {
    std::scoped_lock lock(mutex_);
    drops_.clear();
    ++clearings_;
}
std::uint64_t WaterSurface::clearings() const {
    std::scoped_lock lock(mutex_);
    return clearings_;
}

WaterConfig WaterSurface::config() const {
    std::scoped_lock lock(mutex_);
    return config_;
}
void WaterSurface::set_config(const WaterConfig& config) const {
    check_water_mode(start_.basin.nx, start_.basin.ny, config.mode);
    std::scoped_lock lock(mutex_);
    config_ = config;
}

WaterStatus WaterSurface::status() const {
    std::scoped_lock lock(mutex_);
    return status_;
}
void WaterSurface::set_status(const WaterStatus& status) const {
    std::scoped_lock lock(mutex_);
    status_ = status;
}
void WaterSurface::measure(bool wanted) const {
    std::scoped_lock lock(mutex_);
    measure_ = wanted;
}
bool WaterSurface::measured() const {
    std::scoped_lock lock(mutex_);
    return measure_;
}

double WaterSurface::drop_radius() const {
    auto& basin = start_.basin;
    return std::max(0.02 * basin.dx * basin.nx, 3 * basin.dx);
}
double WaterSurface::drop_height() const {
    return 0.3 * drop_radius() / double(place_.heights);
}

std::shared_ptr<const WaterSurface> water_of(const Scene& scene) {
    for (auto& mesh : scene.meshes)
        if (auto water = std::dynamic_pointer_cast<const WaterSurface>(mesh.simulation))
            return water;
    return nullptr;
}

}  // namespace tl
