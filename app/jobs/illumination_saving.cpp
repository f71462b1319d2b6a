#include "app/jobs/illumination_saving.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "renderer/scene/export/point_export.h"

namespace tl {
namespace {

/// Colours of points as the film shows a diffuse surface of their radiosity, red in the lowest
/// byte. Waits for the stream.
std::vector<std::uint32_t> shown_colors(Session& session, const std::vector<vec3>& radiosity) {
    // The tone map takes films. Its kernels take fewer pixels at a time than points may be.
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    auto& stream = session.stream();
    std::vector<std::uint32_t> colors(radiosity.size());
    for (std::size_t first = 0; first < colors.size(); first += kAtOnce) {
        std::size_t n = std::min(kAtOnce, colors.size() - first);
        std::vector<vec4> sums(n);
        for (std::size_t i = 0; i < n; ++i) sums[i] = vec4(radiosity[first + i] / kPi, 1);
        DeviceArray<vec4> film(stream, n);
        film.assign(stream, std::span<const vec4>(sums));
        DeviceArray<std::uint32_t> shown(stream, n);
        FilmView view{film.data(), nullptr, {static_cast<int>(n), 1}};
        tone_map(stream, view, session.display().shown_tone_map(), shown.view(), false);
        session.device().download(stream, &colors[first], shown.data(), n * sizeof colors[0]);
    }
    return colors;
}

}  // namespace

SavedIllumination save_illumination(Session& session, const std::string& path) {
    auto* source = session.inspection().transport();
    if (!source)
        throw UserError("the renderer has no light at points of surfaces; choose 'radiosity'");
    IlluminationMap map = source->illumination(session.stream());
    if (map.size() == 0)
        throw UserError(
            "no light reaches a diffuse surface of this scene, so there are no points to write");
    auto colors = shown_colors(session, map.radiosity);
    std::size_t n_bytes = write_ply_illumination(path, map, colors, session.scene().offset);
    return {map.size(), n_bytes};
}

}  // namespace tl
