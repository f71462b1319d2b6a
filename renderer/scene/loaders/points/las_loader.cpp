#include "renderer/scene/loaders/points/las_loader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/points/las_extra.h"
#include "renderer/scene/loaders/points/las_header.h"
#include "renderer/scene/loaders/points/point_cloud.h"

namespace tl {
namespace {

constexpr std::size_t kIntensityAt = 12, kFlagsAt = 15;  // in a point

glm::dvec3 place_of(std::string_view point, const LasHeader& header) {
    glm::dvec3 steps(little_endian_at<std::int32_t>(point, 0),
                     little_endian_at<std::int32_t>(point, 4),
                     little_endian_at<std::int32_t>(point, 8));
    return steps * header.scale + header.offset;
}

vec3 color_of(std::string_view point, std::size_t at) {
    return {little_endian_at<std::uint16_t>(point, at),
            little_endian_at<std::uint16_t>(point, at + 2),
            little_endian_at<std::uint16_t>(point, at + 4)};
}

/// Makes parts of 1 of colours of 16 bits, or of 8 where none is above 255, as some programs write
/// them. Where all are 0, as in files that were never coloured, none are left.
void scale_colors(std::vector<vec3>& colors) {
    float most = 0;
    for (vec3 color : colors) most = std::max({most, color.x, color.y, color.z});
    if (most == 0) (void)std::exchange(colors, {});
    for (vec3& color : colors) color /= most > 255 ? 65535.0f : 255.0f;
}

PointCloud read_points(std::string_view bytes, const LasHeader& header, const std::string& path,
                       const ReadProgress& progress) {
    const LasFormat& format = las_format(header.point_format);
    PointCloud cloud;
    cloud.positions.reserve(header.n_points);
    cloud.intensities.reserve(header.n_points);
    if (format.colors_at > 0) cloud.colors.reserve(header.n_points);
    auto normals = find_las_normals(bytes, header);
    if (normals) cloud.normals.reserve(header.n_points);
    std::size_t at = header.points_at;
    WorkLoop loop(progress, "parsing", header.n_points);
    for (std::uint64_t i = 0; i < header.n_points; ++i, at += header.record_bytes) {
        loop.at(i);
        auto point = bytes.substr(at, header.record_bytes);
        if (little_endian_at<std::uint8_t>(point, kFlagsAt) & format.withheld) {
            ++cloud.n_withheld;
            continue;
        }
        glm::dvec3 place = place_of(point, header);
        for (int k = 0; k < 3; ++k)
            if (!(std::abs(place[k]) <= kLargestCoordinate))
                throw UserError(path + ": byte " + std::to_string(at) + ": point " +
                                std::to_string(i) + ": its " + "xyz"[k] +
                                " is beyond the largest coordinate, 1e15");
        cloud.positions.push_back(place);
        cloud.intensities.push_back(little_endian_at<std::uint16_t>(point, kIntensityAt));
        if (format.colors_at > 0) cloud.colors.push_back(color_of(point, format.colors_at));
        if (!normals) continue;
        auto& [x, y, z] = *normals;
        cloud.normals.emplace_back(x.value_in(point), y.value_in(point), z.value_in(point));
    }
    loop.end();
    scale_colors(cloud.colors);
    normalize_normals(cloud.normals);
    return cloud;
}

}  // namespace

PointCloud read_las(Scene& scene, std::string_view bytes, const std::string& path,
                    const ReadProgress& progress) {
    LasHeader header = read_las_header(bytes, path);
    if (header.other_count > 0 && header.other_count != header.n_points)
        scene.warnings.push_back(path + ": its header counts " + std::to_string(header.n_points) +
                                 " points at the same position and " +
                                 std::to_string(header.other_count) +
                                 " in another; the first ones are read");
    return read_points(bytes, header, path, progress);
}

void add_las(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             const ReadContext& context) {
    std::string bytes = read_file(path, context);
    PointCloud cloud = read_las(scene, bytes, path, context.progress);
    cloud.drop_outliers = drop_outliers;
    add_cloud(scene, std::move(cloud), path, bytes.size(), with_materials, context.progress);
}

}  // namespace tl
