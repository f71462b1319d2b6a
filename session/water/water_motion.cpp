#include "session/water/water_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "renderer/scene/live/animation.h"
#include "renderer/scene/scene.h"

namespace tl {
namespace {

/// The newest surfaces of simulated water, one a step. Between two of them the surface is
/// interpolated.
class RecentSurfaces {
  public:
    /// Most surfaces that are kept.
    static constexpr std::size_t kMost = 32;

    /// Keeps the newest `capacity` surfaces of `n_vertices` vertices.
    RecentSurfaces(Stream& stream, std::size_t n_vertices, std::size_t capacity)
        : n_vertices_(n_vertices), times_(capacity) {
        positions_.resize_discard(stream, times_.size() * n_vertices);
        normals_.resize_discard(stream, times_.size() * n_vertices);
    }

    /// Number of surfaces that are kept.
    [[nodiscard]] std::size_t capacity() const { return times_.size(); }
    [[nodiscard]] std::size_t n_vertices() const { return n_vertices_; }
    [[nodiscard]] bool empty() const { return n_added_ == 0; }
    /// Time of the oldest surface.
    [[nodiscard]] double begin() const {
        return times_[n_added_ > times_.size() ? n_added_ % times_.size() : 0];
    }
    void clear() { n_added_ = 0; }
    void add(Stream& stream, const Water& water, const WaterGridPlacement& place) {
        std::size_t slot = n_added_++ % times_.size();
        times_[slot] = water.time();
        std::size_t first = slot * n_vertices_;
        TL_DISPATCH(stream.device(), water_surface(stream, water.fields(), place,
                                                   {positions_.data() + first, n_vertices_},
                                                   {normals_.data() + first, n_vertices_}));
    }
    /// Writes the surface at a time between those of the oldest and the newest.
    void interpolate(Stream& stream, double time, View<vec3> positions, View<vec3> normals) const {
        std::size_t newer = n_added_ - 1, oldest = n_added_ - std::min(n_added_, times_.size());
        while (newer > oldest + 1 && times_[(newer - 1) % times_.size()] >= time) --newer;
        std::size_t older = newer > oldest ? newer - 1 : newer;
        FramePair pair{static_cast<std::uint32_t>(older % times_.size()),
                       static_cast<std::uint32_t>(newer % times_.size()), 1};
        double from = times_[pair.from], to = times_[pair.to];
        if (to > from)
            pair.weight = static_cast<float>(std::clamp((time - from) / (to - from), 0.0, 1.0));
        const VertexMotion motion{positions_.view(), normals_.view(), positions, normals};
        TL_DISPATCH(stream.device(), blend_frames(stream, pair, motion));
    }
    [[nodiscard]] std::size_t bytes() const { return positions_.bytes() + normals_.bytes(); }

    [[nodiscard]] static std::size_t bytes_of(std::size_t n_vertices, std::size_t capacity) {
        return 2 * sizeof(vec3) * n_vertices * capacity;
    }
    /// Surfaces to keep at first. Two are needed for interpolation; the others serve earlier
    /// moments of a shutter.
    [[nodiscard]] static std::size_t capacity_for(std::size_t n_vertices) {
        constexpr std::size_t kBytes = std::size_t(64) << 20;
        return std::clamp<std::size_t>(kBytes / bytes_of(std::max<std::size_t>(n_vertices, 1), 1),
                                       2, kMost);
    }

  private:
    std::size_t n_vertices_;
    std::vector<double> times_;  ///< of surface k, at k modulo the capacity
    std::size_t n_added_ = 0;
    DeviceArray<vec3> positions_, normals_;
};

/// The water of one device, which follows the scene's time step by step.
class WaterMotion final : public SurfaceMotion {
  public:
    WaterMotion(Stream& stream, const WaterSurface& surface)
        : surface_(surface), water_(stream, surface.case_of().basin, surface.case_of().config) {}

    void run(Stream& stream, double time, View<vec3> positions, View<vec3> normals) override {
        if (!recent_)
            recent_.emplace(stream, positions.size, RecentSurfaces::capacity_for(positions.size));
        follow_surface(stream);
        advance(stream, time);
        recent_->interpolate(stream, time, positions, normals);
        shown_time_ = time;
        report(stream);
    }
    [[nodiscard]] std::size_t bytes() const override {
        return water_.bytes() + (recent_ ? recent_->bytes() : 0);
    }

  private:
    /// Takes up changes of the description, which affect the water after the time shown last, or
    /// by the time of a short shutter later.
    void follow_surface(Stream& stream) {
        auto config = surface_.config();
        auto drops = surface_.drops();
        bool cleared = clearings_ != surface_.clearings();
        bool changed = cleared || drops.size() != drops_.size() || config != water_.config();
        if (changed && water_.time() > shown_time_ + kShortShutter) {
            recent_->clear();
            advance(stream, shown_time_);
        }
        if (cleared) n_dropped_ = 0;
        clearings_ = surface_.clearings();
        water_.config() = config;
        drops_ = std::move(drops);
    }
    /// Steps until the water is not earlier than `time`, from rest where that is before all
    /// surfaces that are kept.
    void advance(Stream& stream, double time) {
        auto place = surface_.place();
        double step = double(water_.config().time_step), rounding = kRounding * step;
        if (recent_->empty() || time < recent_->begin() - rounding) {
            if (time > water_.time() - RecentSurfaces::kMost * step) keep_more(stream);
            if (water_.time() > 0) water_.restart(stream);
            n_dropped_ = 0;
            recent_->clear();
            recent_->add(stream, water_, place);
        }
        while (water_.time() < time - rounding) {
            for (; n_dropped_ < drops_.size() && drops_[n_dropped_].time <= water_.time();
                 ++n_dropped_)
                water_.drop(stream, drops_[n_dropped_].x, drops_[n_dropped_].y,
                            surface_.drop_height(), surface_.drop_radius());
            (void)water_.step(stream);
            ++n_steps_;
            if (water_.time() >= time - static_cast<double>(recent_->capacity()) * step)
                recent_->add(stream, water_, place);
        }
    }
    /// Keeps twice as many surfaces where memory allows, for a shutter that goes back further than
    /// they do.
    void keep_more(Stream& stream) {
        std::size_t capacity = std::min(2 * recent_->capacity(), RecentSurfaces::kMost);
        std::size_t n_vertices = recent_->n_vertices();
        constexpr std::size_t kShare = 4;  // of the free memory
        if (capacity > recent_->capacity() &&
            RecentSurfaces::bytes_of(n_vertices, capacity) <=
                stream.device().memory_stats().bytes_free / kShare)
            recent_.emplace(stream, n_vertices, capacity);
    }
    void report(Stream& stream) {
        auto status = surface_.status();
        status.time = water_.time();
        status.steps += std::exchange(n_steps_, 0);
        status.bytes = bytes();
        status.shares = water_.shares();
        if (surface_.measured() && std::abs(status.time - status.measured) > 0.25) {
            status.totals = water_.totals(stream);
            status.measured = status.time;
        }
        surface_.set_status(status);
    }

    /// Seconds by which the water may be ahead of the time shown without a new start.
    static constexpr double kShortShutter = 0.1;
    /// Differences of times that are due to rounding, in steps.
    static constexpr double kRounding = 1e-3;

    const WaterSurface& surface_;
    Water water_;
    std::optional<RecentSurfaces> recent_;
    double shown_time_ = 0;
    std::uint64_t n_steps_ = 0;  ///< since the last report
    std::vector<TimedDrop> drops_;
    std::size_t n_dropped_ = 0;  ///< of these, which are in the order of their times
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
    check_water_mode(start_.basin.nx, start_.basin.ny, config);
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
