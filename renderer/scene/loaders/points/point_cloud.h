// The points of a file that has nothing else, between its reader and the scene.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/read_progress.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Points of one file. All lists are either empty or have one entry for each point; a normal of 0,
/// or an area of 0, is that of a point whose file gives it none.
struct PointCloud {
    std::vector<glm::dvec3> positions;    ///< finite, up to kLargestCoordinate
    std::vector<vec3> colors;             ///< as decode_vertex_colors() takes them
    std::vector<float> intensities;       ///< intensities of a scanner's echoes, in its own units
    std::vector<vec3> emission;           ///< radiance, W/(sr m^2), of linear RGB
    std::vector<vec3> radiosity;          ///< W/m^2, of linear RGB; shown by show_radiosity() alone
    std::vector<vec3> normals;            ///< unit length, or none
    std::vector<float> areas;             ///< m^2, or none
    vec3 up{0, 0, 1};                     ///< preferred side of a surface that has no outside
    std::optional<glm::dvec3> seen_from;  ///< position of the scanner, which surfaces face
    bool drop_outliers = false;    ///< whether points that lie far from all others are left out
    std::uint64_t n_lost = 0;      ///< points that are not finite, which are left out
    std::uint64_t n_withheld = 0;  ///< withheld points, which are left out as the file asks
    std::uint64_t n_clear = 0;     ///< nearly transparent points, which are left out
};

/// Greys for intensities, whose units are unknown: sRGB in [0, 1]. Black is the intensity that 2 %
/// of the points are below, and white the one that 2 % are above. Thus a few bright echoes do not
/// make all else dark. White where those are equal. Time is linear in the count.
[[nodiscard]] std::vector<vec3> greys_of(std::span<const float> intensities);

/// Normals of any length become those of unit length; 0 where they have none or are not finite.
/// None are left where all are 0.
void normalize_normals(std::vector<vec3>& normals);

/// Numbers of emission that are not finite or below 0 become 0, those above kLargestEmission that.
/// None are left where all are 0.
void tidy_emission(std::vector<vec3>& emission);

/// Completes a cloud whose positions, less an offset, are `positions`. Points get the normals and
/// areas that they lack (renderer/scene/points/cloud_surface.h), unless they are fewer than 64.
/// Points that lie far from all others are counted or dropped, with a warning. Where memory does
/// not suffice for the number of points, nothing is estimated, with a warning. `path` is the file's
/// name.
void complete_cloud(Scene& scene, PointCloud& cloud, std::vector<vec3>& positions,
                    const std::string& path, const ReadProgress& progress);

/// Appends the points to a scene with a material 0: those with a normal as splats that close their
/// surface (splats/close_surface.h), others as points_and_lines.h shows them; recentred where they
/// need it (recentre.h). Those without colours have the greys of their intensities.
/// `n_bytes`: the file's size. Throws UserError where there are none.
void add_cloud(Scene& scene, PointCloud cloud, const std::string& path, std::size_t n_bytes,
               bool with_materials, const ReadProgress& progress = {});

}  // namespace tl
