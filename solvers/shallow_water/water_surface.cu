#include "solvers/shallow_water/water_surface.h"

#include "core/device/parallel_for.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

constexpr double kShownDepth = 1e-4;  // m; water that is less deep is not shown

/// The levels of the four cells about a corner, each of which may be dry.
struct Corner {
    double level[4];
    bool wet[4];
    double lowest_bed;

    TL_HD Corner(const WaterFields& f, int i, int j) : lowest_bed(1e300) {
        for (int k = 0; k < 4; ++k) {
            int x = i - 1 + k % 2, y = j - 1 + k / 2;
            x = x < 0 ? 0 : x < f.nx ? x : f.nx - 1;
            y = y < 0 ? 0 : y < f.ny ? y : f.ny - 1;
            int at = x + y * f.pitch;
            level[k] = f.z[at];
            wet[k] = level[k] - f.bed[at] > kShownDepth;
            lowest_bed = smaller(lowest_bed, f.bed[at]);
        }
    }
};

}  // namespace

void water_surface(Stream& stream, const WaterFields& fields, const WaterGridPlacement& given,
                   View<vec3> positions, View<vec3> normals) {
    WaterFields f = fields;
    WaterGridPlacement place = given;
    parallel_for(
        stream, "water surface", static_cast<std::uint32_t>(positions.size),
        TL_LAMBDA(std::uint32_t index) {
            int i = static_cast<int>(index) % (f.nx + 1), j = static_cast<int>(index) / (f.nx + 1);
            Corner corner(f, i, j);
            double sum = 0;
            int n_wet = 0;
            for (int k = 0; k < 4; ++k)
                if (corner.wet[k]) {
                    sum += corner.level[k];
                    ++n_wet;
                }
            double height = n_wet > 0 ? sum / n_wet : corner.lowest_bed - double(place.sink);
            // Dry cells have the height of the corner, so that shores are level.
            double h[4];
            for (int k = 0; k < 4; ++k) h[k] = corner.wet[k] ? corner.level[k] : height;
            auto slope_x =
                place.heights * static_cast<float>((h[1] + h[3] - h[0] - h[2]) / (2 * f.dx));
            auto slope_z =
                place.heights * static_cast<float>((h[2] + h[3] - h[0] - h[1]) / (2 * f.dy));
            float x = static_cast<float>(i * f.dx), z = static_cast<float>(j * f.dy);
            x += i == 0 ? -place.reach : i == f.nx ? place.reach : 0;
            z += j == 0 ? -place.reach : j == f.ny ? place.reach : 0;
            positions[index] =
                place.corner + vec3(x, place.heights * static_cast<float>(height), z);
            normals[index] = glm::normalize(vec3(-slope_x, 1, -slope_z));
        });
}

TL_DEVICE_END
